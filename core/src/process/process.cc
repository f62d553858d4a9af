#include "covary/process/process.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace covary {
using namespace internal;

std::vector<std::string> internal::conditioning_notes(const MergedRows& merged, const Conditioning& c) {
  std::vector<std::string> notes;
  if (merged.merged())
    notes.push_back(fmt::format("{} rows merged: {} observations at {} distinct inputs", merged.merged(),
                                merged.group.size(), merged.rows.size()));
  if (c.jitter > 0)
    notes.push_back(fmt::format("the covariance is singular to rounding: {:.3g} was added to its diagonal{}",
                                c.jitter,
                                c.twin < 0 ? ""
                                           : fmt::format(" (rows {} and {}, counted from 1, nearly coincide)",
                                                         merged.rows[static_cast<size_t>(c.twin)] + 1,
                                                         merged.rows[static_cast<size_t>(c.row)] + 1)));
  if (c.jitter == 0 && c.reciprocal_condition < 1e-13)
    notes.push_back(
        fmt::format("the covariance is ill-conditioned (reciprocal condition {:.1e}): a standard deviation "
                    "below {:.1e} of "
                    "the prior's cannot be told from rounding; more noise would help",
                    c.reciprocal_condition, std::sqrt(4 * std::numeric_limits<double>::epsilon())));
  return notes;
}

double internal::mend_zero_noise(MergedRows& merged, Vector& variances, const Vector& y,
                                 const std::vector<Index>& alike, std::vector<std::string>& notes) {
  double squares = 0;  // of exact observations about their group's mean; noisy ones may differ from it
  Index exact = 0;
  for (Index i = 0; i < y.size(); ++i) {
    if (variances[i] > 0) continue;
    const double off = y[i] - merged.y[merged.group[static_cast<size_t>(i)]];
    squares += off * off;
    ++exact;
  }
  if (squares == 0) return 0;
  const double estimate = squares / double(exact - (merged.noise.array() == 0).count());
  for (double& v : variances)
    if (v == 0) v = estimate;
  merged = merge(alike, y, variances);
  notes.push_back(
      fmt::format("noise cannot be 0: repeated inputs have different observations; a variance of {:.6g} was "
                  "estimated from the repeats",
                  estimate));
  return estimate;
}

double internal::noise_of_repeats(const std::vector<Index>& alike, const Vector& y,
                                  std::vector<std::string>& notes) {
  Vector variances = Vector::Zero(y.size());
  MergedRows merged = merge(alike, y, variances);
  return mend_zero_noise(merged, variances, y, alike, notes);
}

template class DensePosterior<Row>;
template class Process<Row>;

}  // namespace covary
