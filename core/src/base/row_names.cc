#include "covary/base/row_names.h"

#include <fmt/format.h>

#include <atomic>

namespace covary {
using namespace internal;
namespace {

std::atomic<bool> by_index = false;

}  // namespace

std::string internal::row_words(Index i) {
  return fmt::format("row {}{}", by_index ? "index " : "", row_number(i));
}

Index internal::row_number(Index i) { return by_index ? i : i + 1; }

std::string internal::constant_note(const std::string& name, bool ignored) {
  return fmt::format("column {} is constant: {}", name,
                     ignored ? "it is ignored" : "only the prior says how y depends on it");
}

std::string internal::identical_note(const std::string& one, const std::string& other) {
  return fmt::format("columns {} and {} are identical: one of them is enough", one, other);
}

void internal::name_rows_by_index() { by_index = true; }

}  // namespace covary
