// What fit searches over on a data set, as the benchmarks of the search see it.
#pragma once
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "covary/learn/fit.h"

namespace bench {

struct Data {
  covary::Matrix x;
  covary::Vector y;
  covary::Kernel<covary::Row> kernel;  // to be fitted
};

/// A box and minus (log evidence + log prior), on all rows and on some.
struct Problem {
  using Evidence = covary::Evidence<covary::Row>;

  std::vector<covary::internal::SearchParameter> parameters;
  std::shared_ptr<Evidence> evidence;  // on all rows; for one thread
  covary::Vector lower, upper;

  Problem(const Data& data, covary::Prior prior) : data_(data) {
    covary::FitOptions options;
    options.prior = prior;
    const double variance = covary::internal::scales_of(data.y, mean_.basis_at(data.x)).variance;
    const covary::Kernel<covary::Row> kernel = data.kernel.amplified().sized(data.x);
    parameters = covary::internal::search_parameters(
        kernel.parameters(), kernel.theta(), kernel.start(data.x, variance),
        covary::internal::input_scales(data.x, data.y, kernel.parameters()), data.x.cols(),
        covary::Noise::learn(), variance, options);
    const covary::Index p = std::ssize(parameters);
    lower.resize(p), upper.resize(p);
    covary::Vector start(p);
    for (covary::Index i = 0; i < p; ++i) {
      const covary::internal::SearchParameter& s = parameters[static_cast<size_t>(i)];
      lower[i] = s.lower, upper[i] = s.upper, start[i] = s.start;
    }
    data_.kernel = kernel.with(start.head(p - 1));
    evidence = std::make_shared<Evidence>(data_.kernel, mean_, covary::Noise::learn(), data.x, data.y);
  }

  std::shared_ptr<Evidence> on(const std::vector<covary::Index>& rows) const {
    return std::make_shared<Evidence>(data_.kernel, mean_, covary::Noise::learn(),
                                      covary::Matrix(data_.x(rows, Eigen::all)),
                                      covary::Vector(data_.y(rows)));
  }

  std::pair<double, covary::Vector> at(const covary::Vector& theta) const { return at(*evidence, theta); }
  std::pair<double, covary::Vector> at(Evidence& some, const covary::Vector& theta) const {
    const covary::Evaluation e = some.at(theta);
    if (!std::isfinite(e.value)) return {std::numeric_limits<double>::infinity(), covary::Vector()};
    covary::Vector gradient;
    const double prior = covary::internal::log_prior(parameters, theta, &gradient);
    return {-e.value - prior, -e.gradient - gradient};
  }

  std::vector<covary::internal::Start> starts(int count) const {
    std::vector<covary::internal::Start> all = covary::internal::known_starts(parameters, {});
    for (covary::internal::Start& s : covary::internal::drawn_starts(parameters, count, 1))
      all.push_back(std::move(s));
    all.resize(std::min(all.size(), static_cast<size_t>(count)));
    return all;
  }

 private:
  Data data_;
  covary::Mean<covary::Row> mean_ = covary::constant_mean<covary::Row>();
};

}  // namespace bench
