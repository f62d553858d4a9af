#include "covary/kernels/registry.h"

#include "covary/kernels/sets/item_set.h"

namespace covary {

// Every kernel over sets. To add one, write kernels/sets/NAME.cc with `Entry<ItemSet> set_entries::NAME()` and name
// it here.
#define COVARY_SET_KERNELS(KERNEL) \
  KERNEL(constant)                 \
  KERNEL(jaccard)                  \
  KERNEL(minmax)                   \
  KERNEL(intersection)

namespace set_entries {

#define COVARY_DECLARE_SET(name) Entry<ItemSet> name();
COVARY_SET_KERNELS(COVARY_DECLARE_SET)

Entry<ItemSet> constant() { return constant_entry<ItemSet>(); }

}  // namespace set_entries

template <>
const std::vector<Entry<ItemSet>>& registry<ItemSet>() {
#define COVARY_LIST_SET(name) set_entries::name(),
  static const std::vector<Entry<ItemSet>> all{COVARY_SET_KERNELS(COVARY_LIST_SET)};
  return all;
}

}  // namespace covary
