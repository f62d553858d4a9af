// Any text as a formula, and as a list of features: read, or refused with a usage or limit Error; what is
// read prints as text that reads back the same, to the bit of every value.
#include "covary/basis/formula.h"

#include <cstdint>
#include <cstring>

#include "covary/base/error.h"
#include "covary/basis/basis.h"
#include "require.h"

namespace {

using covary::Problem;
using fuzz::require;

template <class F>
void refused_or(F read) {
  try {
    read();
  } catch (const covary::Error& e) {
    require(e.problem() == Problem::usage || e.problem() == Problem::limit || e.problem() == Problem::data,
            "a usage, limit or data Error, not: " + std::string(e.what()));
  }
}

/// Equal in every bit; any NaN is as good as another.
bool same(const covary::Matrix& a, const covary::Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (covary::Index i = 0; i < a.size(); ++i) {
    const double x = a.data()[i], y = b.data()[i];
    if (std::memcmp(&x, &y, sizeof x) != 0 && (x == x || y == y)) return false;
  }
  return true;
}

const std::vector<std::string> columns{"x", "temp", "sea depth"};  // NOLINT: a program of one file

covary::Matrix some_rows() {
  covary::Matrix x(4, 3);
  x << 0, 1, -2.5, 1e-3, 7, 1e3, -1e300, 0.5, 3, 2, -4, 1e-310;
  return x;
}

void check_formula(const std::string& text) {
  const covary::internal::Formula f = covary::internal::parse_formula(text, columns);
  const covary::internal::Formula again = covary::internal::parse_formula(f.text(), columns);
  require(again.text() == f.text(), "'" + f.text() + "' prints as '" + again.text() + "'");
  require(same(again(some_rows()), f(some_rows())), "the same values after '" + f.text() + "'");
}

void check_features(const std::string& text) {
  const covary::Features typed = covary::parse_features(text, columns);
  require(covary::parse_features(typed.text(), columns).text() == typed.text(), "the list " + typed.text());
  if (typed.size() > 3000) return;  // slow, and no different
  const covary::Features f = typed.placed(some_rows());
  const covary::Features again = covary::parse_features(f.text(), columns);
  require(again.text() == f.text(), "'" + f.text() + "' prints as '" + again.text() + "'");
  require(again.names() == f.names(), "the same names after '" + f.text() + "'");
  const covary::Matrix phi = f(some_rows());
  require(phi.allFinite(), "finite features of '" + f.text() + "'");
  require(same(again(some_rows()), phi), "the same features after '" + f.text() + "'");
  require(same(f(some_rows().bottomRows(1)), phi.bottomRows(1)), "one row as among others, " + f.text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes are text here
  refused_or([&] { check_formula(text); });
  refused_or([&] { check_features(text); });
  return 0;
}
