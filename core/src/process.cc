#include "covary/process.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "covary/row_words.h"
#include "parallel.h"

namespace covary {

void check_finite(const Rows& x, const std::string& what) {
  if (x.allFinite()) return;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index k = 0; k < x.cols(); ++k)
      if (!std::isfinite(x(i, k)))
        throw Error(Problem::data, fmt::format("{}: {}, column {}: expected a finite number, found {}", what,
                                               row_words(i), row_number(k), x(i, k)));
}

void check_finite(const Vector& y, const std::string& what) {
  for (Index i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i]))
      throw Error(Problem::data,
                  fmt::format("{}: {}: expected a finite number, found {}", what, row_words(i), y[i]));
}

void check_sizes(Index points, Index observations) {
  if (points != observations)
    throw Error(Problem::usage,
                fmt::format("{} points were given with {} observations", points, observations));
  if (points == 0) throw Error(Problem::data, "no observations: at least one row is needed");
}

void for_blocks(Index m, int threads, const std::function<void(Range)>& fn) {
  constexpr Index widest = 256, least = 64, unit = 8;
  const Index all = (m + widest - 1) / widest, each = m >= least * threads ? threads : 1;
  const Index blocks = std::max<Index>(1, (all + each - 1) / each * each);  // as many for every thread
  const Index wide = ((m + blocks - 1) / blocks + unit - 1) / unit * unit;
  if (m == 0) return;
  parallel_for((m + wide - 1) / wide, threads, [&](Index b) {
    fn({b * wide, std::min(wide, m - b * wide)});
  });
}

std::vector<std::string> conditioning_notes(const Merged& merged, const Conditioning& c) {
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

double mend_zero_noise(Merged& merged, Vector& variances, const Vector& y, const std::vector<Index>& alike,
                       std::vector<std::string>& notes) {
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

template class Process<Row>;
template class Path<Row>;

}  // namespace covary
