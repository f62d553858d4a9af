#include "select/scores/improvement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace covary::select {
namespace {

constexpr double far = 25;  // sds below the best, from where on series are exact to rounding

double density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }
double distribution(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }
double log_density(double z) { return -0.5 * (z * z + std::log(2 * std::numbers::pi)); }

/// Phi(z)/phi(z) for z < 0: 1/|z| (1 - 1/z^2 + 3/z^4 - ...)
double mills(double z) {
  if (z > -far)
    return std::sqrt(std::numbers::pi / 2) * std::exp(0.5 * z * z) * std::erfc(-z / std::numbers::sqrt2);
  const double u = 1 / (z * z);
  return (1 + u * (-1 + u * (3 + u * (-15 + u * (105 - 945 * u))))) / -z;
}

/// h(z)/phi(z) = 1 + z Phi(z)/phi(z) for z < 0: 1/z^2 (1 - 3/z^2 + 15/z^4 - ...)
double promise_ratio(double z) {
  if (z > -far) return 1 + z * mills(z);
  const double u = 1 / (z * z);
  return u * (1 + u * (-3 + u * (15 + u * (-105 + u * (945 - 10395 * u)))));
}

}  // namespace

/// d/dgain = Phi(z), d/dsd = phi(z)
Promise expected_improvement(double gain, double sd) {
  if (!(sd > 0)) return {std::max(gain, 0.0), double(gain > 0), 0};
  const double z = gain / sd;
  const double value = z < -1 ? sd * density(z) * promise_ratio(z) : sd * density(z) + gain * distribution(z);
  return {value, distribution(z), density(z)};
}

Promise probability_of_improvement(double gain, double sd) {
  if (!(sd > 0)) return {double(gain > 0), 0, 0};
  const double z = gain / sd;
  return {distribution(z), density(z) / sd, -density(z) * z / sd};
}

/// log sd + log h(z), h' = Phi
Promise log_expected_improvement(double gain, double sd) {
  sd = std::max(sd, 1e-150);
  const double z = gain / sd;
  if (z < -1) {
    const double ratio = promise_ratio(z), slope = mills(z) / ratio;
    return {std::log(sd) + log_density(z) + std::log(ratio), slope / sd, (1 - z * slope) / sd};
  }
  const double h = density(z) + z * distribution(z), slope = distribution(z) / h;
  return {std::log(sd) + std::log(h), slope / sd, (1 - z * slope) / sd};
}

Promise log_probability_of_improvement(double gain, double sd) {
  sd = std::max(sd, 1e-150);
  const double z = gain / sd;
  const double value = z < 0 ? log_density(z) + std::log(mills(z)) : std::log(distribution(z)),
               slope = z < 0 ? 1 / mills(z) : density(z) / distribution(z);
  return {value, slope / sd, -slope * z / sd};
}

namespace {

/// The lines of the upper envelope by rising slope, and where each takes over from the one before.
struct Envelope {
  std::vector<Index> lines;
  std::vector<double> from;  // from[0] is -infinity
};

/// Slopes that differ by rounding are equal.
Envelope envelope(const Vector& a, const Vector& b) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double rounding = 1e-13 * b.cwiseAbs().maxCoeff();
  std::vector<Index> order = internal::all_indices(a.size());
  std::sort(order.begin(), order.end(), [&](Index i, Index j) {
    if (b[i] != b[j]) return b[i] < b[j];
    return a[i] != a[j] ? a[i] > a[j] : i < j;  // of parallel lines the highest comes first
  });
  Envelope out;
  for (const Index i : order) {
    double from = -infinite;
    while (!out.lines.empty()) {
      const Index last = out.lines.back();
      const double rise = b[i] - b[last];
      from = rise > rounding ? (a[last] - a[i]) / rise : a[i] > a[last] ? -infinite : infinite;
      if (from > out.from.back()) break;
      out.lines.pop_back(), out.from.pop_back();
      from = -infinite;
    }
    if (from < infinite) out.lines.push_back(i), out.from.push_back(from);
  }
  return out;
}

/// sum over the breaks c of the envelope of (b_next - b_last) h(-|c|).
double envelope_gain(const Envelope& e, const Vector& b) {
  double sum = 0;
  for (size_t i = 1; i < e.lines.size(); ++i) {
    const double rise = b[e.lines[i]] - b[e.lines[i - 1]];
    sum += expected_improvement(-std::abs(e.from[i]) * rise, rise).value;
  }
  return sum;
}

}  // namespace

/// Phi(to) - Phi(from), without cancelling in the upper tail.
double between(double from, double to) {
  return from > 0 ? distribution(-from) - distribution(-to) : distribution(to) - distribution(from);
}

/// dE/da_i = P(line i is the highest), dE/db_i = E[Z; line i is the highest] = phi(from) - phi(to).
KnowledgeGain knowledge_gain(const Vector& a, const Vector& b) {
  const Envelope e = envelope(a, b);
  KnowledgeGain out{envelope_gain(e, b), Vector::Zero(a.size()), Vector::Zero(a.size())};
  for (size_t i = 0; i < e.lines.size(); ++i) {
    const double from = e.from[i],
                 to = i + 1 < e.lines.size() ? e.from[i + 1] : std::numeric_limits<double>::infinity();
    out.largest[e.lines[i]] = between(from, to);
    out.slopes[e.lines[i]] = density(from) - density(to);
  }
  return out;
}

double knowledge_gain_value(const Vector& a, const Vector& b) {
  const double value = envelope_gain(envelope(a, b), b);
  return value > 1e-12 * b.cwiseAbs().maxCoeff() ? value : 0;
}

Outlook outlook(const StrategyInput& sight) {
  const PoolPosterior& belief = sight.belief;
  Outlook out{sight.minimize ? -1.0 : 1.0, belief.mean().col(0), belief.variance().cwiseMax(0).cwiseSqrt()};
  out.mean *= out.sign;
  const std::vector<Index>& known = belief.order();
  out.best = known.empty() ? out.mean.maxCoeff() : Vector(out.mean(known)).maxCoeff();
  return out;
}

double label_spread(const StrategyInput& sight) {
  const Vector y = sight.belief.targets().col(0);
  return y.size() < 2 ? 0 : std::sqrt((y.array() - y.mean()).square().mean());
}

double not_negative(const Arguments& a, const std::string& name, double otherwise) {
  const double given = a.number(name);
  if (given < 0 || std::isinf(given))
    throw Error(Problem::usage,
                fmt::format("strategy: {} must be a number of 0 or more, found {}", name, given));
  return std::isnan(given) ? otherwise : given;
}

Vector above_least(const Vector& v) {
  Vector out = v.array() - v.minCoeff();
  const double rounding = 1e-9 * v.cwiseAbs().maxCoeff();
  for (double& x : out)
    if (x < rounding) x = 0;
  return out;
}

}  // namespace covary::select
