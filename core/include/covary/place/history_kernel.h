// A kernel over positions, learned from past readings of many times at the same places.
//
//   L = -T/2 [log|K| + tr(K^-1 S) + n log 2 pi],  K = k(x, x) + nugget I
//   dL/dtheta = sum_ij G_ij dK_ij/dtheta,  G = T/2 (K^-1 S K^-1 - K^-1)
//
// The times count as independent. The nugget is what each place varies by for itself, errors of the readings
// included.
#pragma once
#include <numeric>

#include "covary/learn.h"
#include "covary/words.h"

namespace covary {

/// L and its gradient: theta of the kernel, then log nugget. -infinity where K is not positive definite.
/// `work` is scratch, kept by the caller between calls. 5 n^3 flops.
Evaluation scatter_evidence(const Gram& gram, const Matrix& covariance, double times, double nugget,
                            bool gradient, Matrix& work, int threads);

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
  const std::vector<Searched> parameters =
      searched(kernel.parameters(), kernel.theta(), kernel.start(x, variance), input_scales(x, Vector(0), {}),
               dimensions(x), Noise::learn(), variance, options);
  const Index p = kernel.theta().size();
  Search search{parameters, count(x), {}, {}};
  search.neighborhood = [&](Index size) { return neighborhood(x, size, options.seed); };
  search.objective = [&](const std::vector<Index>& rows) -> Search::On {
    std::vector<Index> which = rows;
    if (which.empty()) which.resize(static_cast<size_t>(count(x))), std::iota(which.begin(), which.end(), 0);
    const auto points = std::make_shared<const Points<X>>(pick(x, which));
    const Matrix s = covariance(which, which);
    return [points, s, kernel, p, freedom](const Vector& t, Matrix& work, bool gradient, int threads) {
      return scatter_evidence(gram<X>(kernel.with(t.head(p)), Batch<X>(*points)), s, freedom, std::exp(t[p]),
                              gradient, work, threads);
    };
  };
  HistoryKernel<X> out{kernel, 0, {}};
  const Vector theta = learn(search, options, out.summary);
  out.kernel = kernel.with(theta.head(p)), out.nugget = std::exp(theta[p]);
  out.summary.kernel = out.kernel.text(), out.summary.noise_variance = out.nugget;
  out.summary.noise = noise_words(Noise::of(out.nugget), 1);
  return out;
}

}  // namespace covary
