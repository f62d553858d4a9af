// Vecchia's approximation: each observation is conditioned on its nearest predecessors in an order.
//
//   p(y) = prod_i p(y_i | y_1, ..., y_{i-1})  ~  prod_i p(y_i | y_c(i)),  |c(i)| <= m
//
// The order goes from coarse to fine, so that a point's neighbors are far and near. Distances are those of the inputs
// in units of the length-scales, or those that the kernel makes where it is no function of scaled distances. A new
// point is predicted from its 4 m nearest observations, jointly with others from m of those that come before it too.
// The precision matrix is sparse: n m^3/3 flops and n m numbers [vecchia1988, katzfuss2021].
#pragma once
#include "covary/algebra/remote.h"
#include "covary/inference/inference.h"

namespace covary {

struct Vecchia {
  Index neighbors = 30;
  std::string device = {};  // "cuda": a fit computes densities and slopes there; empty: on the host
  std::string text() const;

  template <class X>
  Posterior<X> condition(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                         int threads) const;
  template <class X>
  Objectives objective(const Process<X>& prior, Batch<X> x, const Vector& y, ObjectiveKind kind) const;
  InferenceCost cost(Index n, Index d) const;
  /// Throws if there is no such device.
  template <class X>
  std::string refusal(const Process<X>&, Batch<X>) const {
    return place(), "";
  }
  std::shared_ptr<const internal::Place> place() const { return internal::place_called(device); }
};

namespace internal {
template <class X>
InferenceEntry<X> vecchia_entry() {
  return {"vecchia",
          "each observation given so many of its nearest neighbors; up to millions of rows of few columns",
          "n m^3 flops, n m doubles",
          {"neighbors", "device="},
          [](const Arguments& a) -> Inference<X> {
            const std::string device = a.word("device", {"cpu", "cuda"});
            return Vecchia{a.integer("neighbors", 30, 1, 1000), device == "cpu" ? "" : device};
          }};
}
}  // namespace internal

}  // namespace covary

#include "covary/inference/vecchia_impl.h"
