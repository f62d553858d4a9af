#include "table/csv/room.h"

#include <fmt/format.h>

#include "covary/base/runtime.h"

namespace covary::csv {
using namespace internal;
namespace {

constexpr double small = 1 << 26;  // tables that need not be looked at

/// What a column may take next: twice its room when that is used up, else the part of it not yet touched.
template <class T>
double growth(const std::vector<T>& v) {
  const bool nearly = v.size() + v.size() / 8 >= v.capacity();
  return static_cast<double>(sizeof(T)) *
         static_cast<double>(nearly ? 2 * v.capacity() : v.capacity() - v.size());
}

}  // namespace

void check_room(const Table& table) {
  double held = 0, next = 0;
  for (const Column& c : table.columns) {
    held += static_cast<double>(sizeof(double) * c.values.size() + sizeof(std::string) * c.texts.size());
    next += growth(c.values) + growth(c.texts);
  }
  if (held > small)
    check_memory(next, fmt::format("{}: a table of more than {} rows", table.source, table.rows()));
}

}  // namespace covary::csv
