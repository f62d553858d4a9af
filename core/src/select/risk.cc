#include "covary/select/risk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/error.h"
#include "covary/normal.h"

namespace covary {
namespace {

struct Weighted {
  double mean = 0, error = 0, lower = 0, upper = 0, effective = 0;
};

/// Wilson's interval for a share seen among n.
void interval_of_share(Weighted& w, double z) {
  const double n = w.effective, scale = 1 + z * z / n;
  const double middle = (w.mean + z * z / (2 * n)) / scale;
  const double half = z * std::sqrt(w.mean * (1 - w.mean) / n + z * z / (4 * n * n)) / scale;
  w.lower = std::max(0.0, middle - half), w.upper = std::min(1.0, middle + half);
}

void interval_of_mean(Weighted& w, double t) {
  if (w.mean <= 0) return;
  const double off = t * w.error / w.mean;
  w.lower = w.mean * std::exp(-off), w.upper = w.mean * std::exp(off);
}

Weighted weighted(const std::vector<Foreseen>& labels, const Vector& weights, double percent) {
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
                fmt::format("the risk cannot be told from labels worth {:.2g} by chance: ask for "
                            "a larger share of random picks",
                            out.effective));
  out.error = std::sqrt(squares * out.effective / (out.effective - 1)) / sum;
  const double t = interval_quantile(percent, out.effective - 1);
  if (shares)
    interval_of_share(out, t);
  else
    interval_of_mean(out, t);
  return out;
}

}  // namespace

Risk risk(const std::vector<Foreseen>& labels, double percent) {
  if (labels.size() < 2) throw Error(Problem::data, "the risk needs two labels at least that were foreseen");
  Vector weights(std::ssize(labels));
  for (size_t i = 0; i < labels.size(); ++i)
    weights[Index(i)] = 1 / (double(labels[i].open) * labels[i].probability);
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
