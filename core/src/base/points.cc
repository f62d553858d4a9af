#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "covary/base/error.h"
#include "covary/base/row_names.h"
#include "covary/base/types.h"

namespace covary {
using namespace internal;

std::string IndexedBy<Row>::key(const Rows& x, Index i) {
  std::string bytes(sizeof(double) * static_cast<size_t>(x.cols()), '\0');
  for (Index k = 0; k < x.cols(); ++k) {
    const double v = x(i, k) + 0.0;  // -0 is 0
    std::copy_n(reinterpret_cast<const char*>(&v), sizeof v,
                bytes.data() + sizeof v * static_cast<size_t>(k));
  }
  return bytes;
}

void IndexedBy<Row>::check_finite(const Rows& x, const std::string& what) {
  if (x.allFinite()) return;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index k = 0; k < x.cols(); ++k)
      if (!std::isfinite(x(i, k)))
        throw Error(Problem::data, fmt::format("{}: {}, column {}: expected a finite number, found {}", what,
                                               row_words(i), row_number(k), x(i, k)));
}

std::vector<std::string> IndexedBy<Row>::notes(const Rows& x, const std::vector<std::string>& names) {
  const auto name = [&](Index k) {
    return std::cmp_less(k, names.size()) ? "'" + names[static_cast<size_t>(k)] + "'" : std::to_string(k + 1);
  };
  std::vector<std::string> all;
  constexpr Index most = 200;  // comparing every pair of very many columns is not worth it
  for (Index k = 0; k < x.cols() && all.size() < 20; ++k) {
    if (x.rows() > 1 && (x.col(k).array() == x(0, k)).all()) {
      all.push_back(constant_note(name(k), false));
      continue;
    }
    for (Index j = 0; j < std::min(k, most) && x.rows() > 1; ++j)
      if (x.col(j) == x.col(k)) {
        all.push_back(identical_note(name(j), name(k)));
        break;
      }
  }
  return all;
}

}  // namespace covary
