// A kernel over positions, learned from past readings of many times at the same places.
//
//   L = -T/2 [log|K| + tr(K^-1 S) + n log 2 pi],  K = k(x, x) + nugget I
//   dL/dtheta = sum_ij G_ij dK_ij/dtheta,  G = T/2 (K^-1 S K^-1 - K^-1)
//
// The times count as independent. The nugget is the variance of its own at each place, errors of the readings
// included.
#pragma once
#include <numeric>

#include "covary/learn/fit.h"
#include "covary/learn/summary_words.h"

namespace covary::internal {

/// L as a function of theta of the kernel, then log nugget, for the sample covariance S (n x n) of T times.
template <class X>
class ScatterEvidence final : public Objective {
 public:
  ScatterEvidence(Kernel<X> kernel, Points<X> x, const Matrix& covariance, double times)
      : data_(std::make_shared<const Data>(
            Data{std::move(kernel), std::move(x), std::sqrt(times) * root(covariance), times})) {}

  /// n^3 flops with the gradient.
  Evaluation at(const Vector& theta, bool gradient = true, int threads = 1) override {
    const Index p = data_->kernel.theta().size(), n = data_->scatter.rows();
    const double nugget = std::exp(theta[p]);
    const NormalEvidence::Slopes s = evidence_.at(
        gram<X>(data_->kernel.with(theta.head(p)), Batch<X>(data_->x)), Vector::Constant(n, nugget),
        {data_->scatter, data_->times, Matrix(n, 0)}, gradient, threads);
    Evaluation out{s.value, {}, 0};
    if (gradient && s.diagonal.size())
      out.gradient = concat(s.kernel, Vector::Constant(1, nugget * s.diagonal.sum()));
    return std::isfinite(out.value) && out.gradient.allFinite() ? out : Evaluation{};
  }

 private:
  struct Data {
    Kernel<X> kernel;
    Points<X> x;
    Matrix scatter;  // R, R R' = T S
    double times;
  };
  std::shared_ptr<const Data> data_;
  NormalEvidence evidence_;
};

template <class X>
struct HistoryKernel {
  Kernel<X> kernel;
  double nugget = 0;
  Summary summary;
};

/// The parameters that explain the sample covariance S (n x n, divisor `freedom` = T - 1) of places x best.
template <class X>
HistoryKernel<X> kernel_from_history(const Kernel<X>& given, Batch<X> x, const Matrix& covariance,
                                     double freedom, const FitOptions& options = {}) {
  check_sizes(count(x), covariance.rows());
  check_finite(x, "x");
  const double variance = covariance.diagonal().mean();
  Kernel<X> kernel = given.amplified().sized(x);
  const std::vector<SearchParameter> parameters =
      search_parameters(kernel.parameters(), kernel.theta(), kernel.start(x, variance),
                        input_scales(x, Vector(0), {}), dimensions(x), Noise::learn(), variance, options);
  const Index p = kernel.theta().size();
  Search search{parameters, count(x), {}, {}, {}};
  search.neighborhood = [&](Index size) { return neighborhood(x, size, options.seed); };
  search.objective = [&](const std::vector<Index>& rows) -> Objectives {
    const std::vector<Index> which = rows.empty() ? all_indices(count(x)) : rows;
    const ScatterEvidence<X> e(kernel, pick(x, which), covariance(which, which), freedom);
    return [e] { return std::make_unique<ScatterEvidence<X>>(e); };
  };
  HistoryKernel<X> out{kernel, 0, {}};
  const Vector theta = learn(search, options, out.summary);
  out.kernel = kernel.with(theta.head(p)), out.nugget = std::exp(theta[p]);
  out.summary.kernel = out.kernel.text(), out.summary.noise_variance = out.nugget;
  out.summary.noise = noise_words(Noise::of(out.nugget), 1);
  return out;
}

}  // namespace covary::internal
