#include "covary/kernels/records/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/base/names.h"
#include "covary/kernels/graphs/graph.h"
#include "covary/kernels/nodes/network.h"
#include "covary/kernels/sets/item_set.h"

namespace covary {
using namespace internal;

const std::vector<std::string>& internal::column_type_words() {
  static const std::vector<std::string> words{"number",   "integer", "boolean", "date",  "datetime",
                                              "category", "text",    "set",     "graph", "node"};
  return words;
}

std::string text_of(ColumnType type) { return column_type_words()[static_cast<size_t>(type)]; }

bool internal::holds_numbers(ColumnType type) { return type <= ColumnType::datetime; }
bool internal::holds_dates(ColumnType type) {
  return type == ColumnType::date || type == ColumnType::datetime;
}

Schema::Schema(std::vector<TypedColumn> columns) : columns_(std::move(columns)) {
  for (TypedColumn& c : columns_) {
    if (c.type == ColumnType::node && !c.codes && c.network)
      c.codes = std::make_shared<Dictionary>(c.network->nodes);
    if (!holds_numbers(c.type) && !c.codes) c.codes = std::make_shared<Dictionary>();
  }
}

Schema::Schema(const std::vector<std::string>& names) {
  for (const std::string& name : names) columns_.push_back({.name = name});
}

std::vector<std::string> Schema::names() const {
  std::vector<std::string> out;
  for (const TypedColumn& c : columns_) out.push_back(c.name);
  return out;
}

bool Schema::all_numbers() const {
  return std::all_of(columns_.begin(), columns_.end(),
                     [](const TypedColumn& c) { return holds_numbers(c.type); });
}

Schema Schema::only(const std::vector<Index>& columns) const {
  std::vector<TypedColumn> out;
  for (const Index k : columns) out.push_back((*this)[k]);
  return out;
}

Schema Schema::copied() const {
  std::vector<TypedColumn> out = columns_;
  for (TypedColumn& c : out)
    if (c.codes) c.codes = std::make_shared<Dictionary>(c.codes->texts());
  return out;
}

double Schema::code(Index k, const std::string& cell) const {
  const TypedColumn& c = (*this)[k];
  if (c.type == ColumnType::set) return double(c.codes->code(text_of(read_item_set(cell))));
  if (c.type == ColumnType::graph) return double(c.codes->code(text_of(read_graph(cell))));
  if (c.type != ColumnType::node) return double(c.codes->code(cell));
  if (const auto node = c.codes->find(cell)) return double(*node);
  throw Error(Problem::data, fmt::format("expected a node of the network, found '{}'{}", cell,
                                         did_you_mean(cell, c.codes->texts(1000))));
}

std::string Schema::text(Index k, double value) const {
  const TypedColumn& c = (*this)[k];
  if (holds_dates(c.type)) return date_text(value, c.format);
  if (c.codes && value >= 0 && value < double(c.codes->size())) return c.codes->text(Index(value));
  return fmt::format("{}", value);
}

}  // namespace covary
