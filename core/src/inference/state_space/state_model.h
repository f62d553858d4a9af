// A kernel of one column as a state space: its terms, each of them factors that decay and features.
//
//   k(t, t') = sum over terms of v phi(t).phi(t') kappa(t - t')
//
// kappa is a product of stationary processes with states of their own; phi are the features of what never decays:
// 1, t, cos and sin of 2 pi j t/period. The states of a term are z (x) features: z has the state of kappa for each
// feature, and h(t) = sqrt(v) e_1 (x) phi(t). So A and Q come from kappa alone, and everything else is in h.
#pragma once
#include <string>
#include <vector>

#include "covary/kernels/kernel.h"

namespace covary::internal {

/// A stationary process z' = rate (F z + L w) of variance 1, its state in units of its own time: F and the stationary
/// covariance P (F P + P F' + q L L' = 0) are numbers, whatever the rate.
struct StateDecay {
  Index order = 1;     // d: of the differential equation
  bool matern = true;  // else an approximation of se
  double rate = 1;     // in 1/time: sqrt(2 nu)/lengthscale
  Index slot = -1;     // entry of theta with the logarithm of the length-scale, -1: fixed
};

struct StateFeature {
  enum class Kind { linear, cosine, periodic };
  Kind kind = Kind::linear;
  double unit = 1;  // its length-scale (linear) or period
  Index unit_slot = -1;
  double lengthscale = 1;  // periodic
  Index slot = -1;
  Index harmonics = 0;  // periodic
  Index size() const { return kind == Kind::linear ? 1 : kind == Kind::cosine ? 2 : 2 * harmonics + 1; }
};

struct StateTerm {
  double variance = 1;
  std::vector<Index> slots;  // entries of theta that multiply it
  std::vector<StateDecay> decays;
  std::vector<StateFeature> features;
  Index d = 1, q = 1, first = 0;  // decaying states, features, where the states begin
  Index size() const { return d * q; }
  double fastest() const;  // the largest rate of its decays
};

/// Kernels of more states are refused.
constexpr Index most_states = 96;

struct StateModel {
  std::vector<StateTerm> terms;
  Index size = 0;        // s
  Index column = 0;      // of the rows: time
  Index parameters = 0;  // of theta
  bool approximate = false;
  std::vector<std::string> notes;  // on approximations
};

/// Why there is none, and "" if there is.
struct StateModelOrReason {
  StateModel model;
  std::string reason;
};
StateModelOrReason state_model(const Kernel<Row>& kernel, Index columns, Index order);

/// Of all states: the covariance before any observation, s x s.
Matrix stationary(const StateModel& model);

/// sqrt(v) phi(t) of a term (q) for each of m times, q x m, from times since `origin`; and, for each of the entries
/// of theta that it depends on beside the variance, its slopes there.
struct FeatureSlopes {
  Index slot;
  Matrix values;  // q x m
};
Matrix features(const StateTerm& term, const double* t, Index m, double origin,
                std::vector<FeatureSlopes>* slopes = nullptr);

}  // namespace covary::internal
