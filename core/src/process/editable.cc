#include "covary/process/editable.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "covary/base/row_names.h"

namespace covary {
using namespace internal;

double internal::seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void internal::check_number(const std::string& verb, const std::string& kind, Index i, Index size) {
  if (0 <= i && i < size) return;
  throw Error(Problem::usage,
              fmt::format("{}: there is no {} point {}: {}", verb, kind, i,
                          size ? fmt::format("{} are there, numbered from 0", size) : "there are none"));
}

void internal::check_variances(const Vector& variances, Index n) {
  if (variances.size() != n)
    throw Error(Problem::usage, fmt::format("{} points were given with {} variances", n, variances.size()));
  for (Index i = 0; i < n; ++i)
    if (!(variances[i] >= 0) || std::isinf(variances[i]))
      throw Error(Problem::data, fmt::format("noise: {}: expected a finite variance of at least 0, found {}",
                                             row_words(i), variances[i]));
}

void internal::check_columns(Index before, Index columns) {
  if (before != columns)
    throw Error(Problem::data,
                fmt::format("x: expected points of {} columns like those before, found {}", before, columns));
}

void internal::check_target(const std::string& verb, double y) {
  if (!std::isfinite(y))
    throw Error(Problem::data, fmt::format("{}: expected a finite number, found {}", verb, y));
}

void internal::refuse_repeat(Index row) {
  throw Error(Problem::data,
              fmt::format("x: {} repeats an input that is there without noise: an exact observation can be "
                          "made once; give one of them a variance, or remove the other",
                          row_words(row)));
}

void internal::check_options(const EditableOptions& options) {
  if (options.check_every < 1)
    throw Error(Problem::usage,
                fmt::format("check_every: expected at least 1, found {}", options.check_every));
  if (!(options.tolerance >= 0))
    throw Error(Problem::usage, fmt::format("tolerance: expected at least 0, found {}", options.tolerance));
}

Vector internal::without(const Vector& v, Index i) {
  Vector out(v.size() - 1);
  out.head(i) = v.head(i);
  out.tail(v.size() - 1 - i) = v.tail(v.size() - 1 - i);
  return out;
}

template class EditableProcess<Row>;

}  // namespace covary
