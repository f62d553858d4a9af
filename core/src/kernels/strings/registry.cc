#include "covary/kernels/registry.h"

namespace covary {

// Every kernel over text. To add one, write kernels/strings/NAME.cc with `Entry<std::string>
// string_entries::NAME()` and name it here.
#define COVARY_STRING_KERNELS(KERNEL) \
  KERNEL(constant)                    \
  KERNEL(spectrum)                    \
  KERNEL(mismatch)                    \
  KERNEL(subsequence)                 \
  KERNEL(hamming)                     \
  KERNEL(substitution)

namespace string_entries {

#define COVARY_DECLARE_STRING(name) Entry<std::string> name();
COVARY_STRING_KERNELS(COVARY_DECLARE_STRING)

Entry<std::string> constant() { return constant_entry<std::string>(); }

}  // namespace string_entries

template <>
const std::vector<Entry<std::string>>& registry<std::string>() {
#define COVARY_LIST_STRING(name) string_entries::name(),
  static const std::vector<Entry<std::string>> all{COVARY_STRING_KERNELS(COVARY_LIST_STRING)};
  return all;
}

}  // namespace covary
