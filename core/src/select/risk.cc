#include "covary/select/risk.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "covary/base/error.h"
#include "covary/gaussian/univariate.h"

namespace covary {
using namespace internal;
namespace {

struct Weighted {
  double mean = 0, error = 0, lower = 0, upper = 0, effective = 0;
};

/// The lower end for `seen` of n that is right where few are seen: Poisson's, one-sided.
double rare(double seen, double n, double percent) {
  return seen > 0 ? boost::math::gamma_p_inv(seen, 1 - percent / 100) / n : 0;
}

/// Wilson's interval for a share seen among n, mended at both ends [brown2001].
void interval_of_share(Weighted& w, double percent) {
  const double n = w.effective, z = interval_quantile(percent, n - 1), scale = 1 + z * z / n;
  const double middle = (w.mean + z * z / (2 * n)) / scale;
  const double half = z * std::sqrt(w.mean * (1 - w.mean) / n + z * z / (4 * n * n)) / scale;
  w.lower = std::max(0.0, middle - half), w.upper = std::min(1.0, middle + half);
  const double seen = w.mean * n, unseen = n - seen;
  if (seen <= 3) w.lower = std::min(w.lower, rare(seen, n, percent));
  if (unseen <= 3) w.upper = std::max(w.upper, 1 - rare(unseen, n, percent));
}

/// The interval of a variance, from the chi-square distribution, which is skewed as losses are.
void interval_of_mean(Weighted& w, double percent) {
  if (w.mean <= 0) return;
  const double seen = w.error > 0 ? 2 * std::pow(w.mean / w.error, 2) : w.effective;
  const double half = std::min(seen, w.effective - 1) / 2, tail = 0.5 - percent / 200;
  w.lower = w.mean * half / boost::math::gamma_q_inv(half, tail);
  w.upper = w.mean * half / boost::math::gamma_p_inv(half, tail);
}

Weighted weighted(const std::vector<SampledLoss>& labels, const Vector& weights, double percent) {
  Weighted out;
  const double sum = weights.sum();
  bool shares = true;
  for (size_t i = 0; i < labels.size(); ++i) {
    out.mean += weights[Index(i)] * labels[i].loss / sum;
    shares = shares && (labels[i].loss == 0 || labels[i].loss == 1);
  }
  double squares = 0;
  for (size_t i = 0; i < labels.size(); ++i)
    squares += std::pow(weights[Index(i)] * (labels[i].loss - out.mean), 2);
  out.effective = sum * sum / weights.squaredNorm();
  if (out.effective < 2)
    throw Error(Problem::data,
                fmt::format("the labels estimate the risk only as well as {:.2g} random labels, too few: ask "
                            "for a larger share of random picks",
                            out.effective));
  out.error = std::sqrt(squares * out.effective / (out.effective - 1)) / sum;
  if (shares)
    interval_of_share(out, percent);
  else
    interval_of_mean(out, percent);
  return out;
}

void check(const SampledLoss& label, size_t i) {
  if (!(label.loss >= 0 && std::isfinite(label.loss)))
    throw Error(Problem::data,
                fmt::format("label {}: a loss must not be negative, found {}", i + 1, label.loss));
  if (label.open < 1 || !(label.probability > 0 && label.probability <= 1))
    throw Error(
        Problem::data,
        fmt::format("label {}: expected a probability from 0 to 1 among 1 candidate or more, found {} "
                    "among {}",
                    i + 1, label.probability, label.open));
}

}  // namespace

Risk risk(const std::vector<SampledLoss>& labels, double percent) {
  if (!(percent > 0 && percent < 100))
    throw Error(Problem::usage, fmt::format("an interval must lie between 0 and 100 %, found {}", percent));
  if (labels.size() < 2) throw Error(Problem::data, "the risk needs at least two labels with a loss");
  Vector weights(std::ssize(labels));
  for (size_t i = 0; i < labels.size(); ++i) {
    check(labels[i], i);
    weights[Index(i)] = 1 / (double(labels[i].open) * labels[i].probability);
  }
  if (weights.maxCoeff() < 0.5)  // their mean is 1 where every candidate had a chance
    throw Error(Problem::data,
                "no label was chosen at random, so the risk on the other candidates cannot be estimated: ask "
                "for a share of random picks");
  const Weighted fair = weighted(labels, weights, percent);
  const Weighted naive = weighted(labels, Vector::Ones(weights.size()), percent);
  return {naive.mean, naive.error, naive.lower, naive.upper,    fair.mean,
          fair.error, fair.lower,  fair.upper,  fair.effective, percent};
}

std::string Risk::text() const {
  return fmt::format("{:.3g} ({:g} %: {:.3g} to {:.3g}; naive {:.3g})", corrected, percent, lower, upper,
                     naive);
}

}  // namespace covary
