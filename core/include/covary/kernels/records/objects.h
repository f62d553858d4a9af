// on(column, kernel) for kernels over texts, sets and graphs: a kernel over rows that reads the codes of one column
// and looks up what they stand for.
#pragma once
#include <memory>
#include <string>

#include "covary/kernels/graphs/graph.h"
#include "covary/kernels/kernel.h"
#include "covary/kernels/records/dictionary.h"
#include "covary/kernels/sets/item_set.h"

namespace covary {

/// k(objects[x_c], objects[z_c]): `inner` on column c, from 0, whose codes are those of `objects`; `name` is what the
/// expression prints, else the number from 1. Where `inner` has nothing to learn its covariances are computed once
/// for all rows and kept, up to some 400 MB.
template <class Y>
Kernel<Row> on(Index column, Kernel<Y> inner, std::shared_ptr<internal::Dictionary> objects,
               std::string name = {});

extern template Kernel<Row> on(Index, Kernel<std::string>, std::shared_ptr<internal::Dictionary>,
                               std::string);
extern template Kernel<Row> on(Index, Kernel<ItemSet>, std::shared_ptr<internal::Dictionary>, std::string);
extern template Kernel<Row> on(Index, Kernel<Graph>, std::shared_ptr<internal::Dictionary>, std::string);

}  // namespace covary
