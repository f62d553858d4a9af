#include "covary/basis/basis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "basis/item.h"
#include "covary/base/row_names.h"
#include "covary/kernels/expression.h"

namespace covary {
using namespace internal;

struct Features::Held {
  std::vector<FeatureItem> items;
  std::vector<std::string> columns, names;
  std::vector<Index> seen;  // the columns that any item looks at, ascending
  Index size = 0;
};

namespace {

std::string row_text(Index row, Index before) { return before < 0 ? "" : row_words(before + row) + ": "; }

/// "a = 1, b = -2", the first few of them.
std::string values_text(const Rows& x, Index row, const std::vector<Index>& seen,
                        const std::vector<std::string>& columns) {
  constexpr size_t most = 6;
  std::vector<std::string> all;
  for (size_t i = 0; i < std::min(most, seen.size()); ++i)
    all.push_back(fmt::format("{} = {}", columns[static_cast<size_t>(seen[i])], x(row, seen[i])));
  if (seen.size() > most) all.emplace_back("...");
  return fmt::format("{}", fmt::join(all, ", "));
}

/// Rows at a time, so that what an item fills is still near when it is checked: whole groups of 32 (see
/// waves).
Index block_of(Index size) {
  return std::clamp<Index>((Index{1} << 12) / std::max<Index>(1, size), 1, 8) * 32;
}

template <class Block>
bool all_finite(const Block& block) {  // vectorized, unlike allFinite
  return (block.array() * 0.0).sum() == 0;
}

void check_inputs(const Rows& x, const std::vector<Index>& seen, const std::vector<std::string>& columns,
                  Index before) {
  for (const Index k : seen) {
    if (all_finite(x.col(k))) continue;
    Index row = 0;
    while (std::isfinite(x(row, k))) ++row;
    throw Error(Problem::data,
                fmt::format("features: {}column {} is {}, a finite number was expected",
                            row_text(row, before), columns[static_cast<size_t>(k)], x(row, k)));
  }
}

/// Of the first row where one is not finite.
Error not_finite(const Rows& x, const Matrix& phi, const FeatureItem& item,
                 const std::vector<std::string>& columns, Index before) {
  Index row = 0, j = 0;
  while (all_finite(phi.row(row))) ++row;
  while (std::isfinite(phi(row, j))) ++j;
  const std::vector<Index> seen = item.sees ? item.sees(j) : item.columns;
  return {Problem::data, fmt::format("features: {}{} is {}, a finite number was expected{}{}",
                                     row_text(row, before), item.names[static_cast<size_t>(j)], phi(row, j),
                                     seen.empty() ? "" : ", at ", values_text(x, row, seen, columns))};
}

}  // namespace

Features::Features(std::vector<FeatureItem> items, std::vector<std::string> columns) {
  Held h{std::move(items), std::move(columns), {}, {}, 0};
  for (const FeatureItem& item : h.items) {
    h.size += item.size;
    h.names.insert(h.names.end(), item.names.begin(), item.names.end());
    h.seen.insert(h.seen.end(), item.columns.begin(), item.columns.end());
  }
  check_number_of_features(double(h.size), "all of them");
  std::sort(h.seen.begin(), h.seen.end());
  h.seen.erase(std::unique(h.seen.begin(), h.seen.end()), h.seen.end());
  held_ = std::make_shared<const Held>(std::move(h));
}

Index Features::size() const { return held_->size; }
const std::vector<std::string>& Features::columns() const { return held_->columns; }

std::string Features::text() const {
  std::string all;
  for (const FeatureItem& item : held_->items) all += (all.empty() ? "" : ", ") + item.text;
  return all;
}

bool Features::needs_data() const {
  return std::any_of(held_->items.begin(), held_->items.end(), [](const auto& item) { return !item.fill; });
}

void Features::check_placed() const {
  for (const FeatureItem& item : held_->items)
    if (!item.fill)
      throw Error(Problem::usage,
                  "features: " + item.text + " has to be placed on data before it has values");
}

void Features::check_columns(const Rows& x) const {
  const Index d = std::ssize(held_->columns);
  if (x.cols() != d)
    throw Error(Problem::usage,
                fmt::format("features: rows of {} columns were expected, found {}", d, x.cols()));
}

const std::vector<std::string>& Features::names() const {
  check_placed();
  return held_->names;
}

Matrix Features::operator()(const Rows& x, Index before) const {
  check_placed(), check_columns(x);
  const Index block = block_of(held_->size);
  Matrix phi(x.rows(), held_->size);
  for (Index i = 0; i < x.rows(); i += block) {
    const Rows some = x.middleRows(i, std::min(block, x.rows() - i));
    const Index above = before < 0 ? before : before + i;
    check_inputs(some, held_->seen, held_->columns, above);
    Index at = 0;
    for (const FeatureItem& item : held_->items) {
      auto part = phi.block(i, at, some.rows(), item.size);
      item.fill(some, part);
      if (!all_finite(part)) throw not_finite(some, part, item, held_->columns, above);
      at += item.size;
    }
  }
  return phi;
}

Features Features::placed(const Rows& x) const {
  if (!needs_data()) return *this;
  check_columns(x);
  if (x.rows() == 0) throw Error(Problem::data, "features: there are no rows to place " + text() + " on");
  std::vector<FeatureItem> items = held_->items;
  for (FeatureItem& item : items) {
    if (!item.place) continue;
    check_inputs(x, item.columns, held_->columns, 0);
    item = FeatureItem(item.place(x));
  }
  return {std::move(items), held_->columns};
}

}  // namespace covary
