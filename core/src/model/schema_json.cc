#include "model/schema_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "covary/base/error.h"
#include "covary/kernels/graphs/graph.h"
#include "covary/kernels/nodes/network.h"
#include "covary/kernels/sets/item_set.h"

namespace covary::internal {
namespace {

using nlohmann::ordered_json;

const std::vector<std::string> orders{"ymd", "dmy", "mdy"};

ordered_json json_of(const DateFormat& f) {
  return {{"order", orders[static_cast<size_t>(f.order)]},
          {"separator", std::string(1, f.separator)},
          {"month_name", f.month_name},
          {"day", f.day},
          {"time", f.time},
          {"before_time", std::string(1, f.before_time)},
          {"zone", f.zone}};
}

ordered_json json_of(const Network& n) {
  ordered_json edges = ordered_json::array();
  for (const Network::Edge& e : n.edges) edges.push_back({e.a, e.b, e.weight});
  return {{"nodes", n.nodes}, {"edges", std::move(edges)}};
}

[[noreturn]] void refuse(const std::string& why) { throw Error(Problem::data, "schema: " + why); }

char character(const ordered_json& j) {
  const auto& text = j.get_ref<const std::string&>();
  if (text.size() != 1) refuse("expected one character");
  return text[0];
}

template <class T>
T word_of(const ordered_json& j, const std::vector<std::string>& words) {
  const auto at = std::find(words.begin(), words.end(), j.get_ref<const std::string&>());
  if (at == words.end()) refuse(fmt::format("unknown word {}", j.dump().substr(0, 40)));
  return static_cast<T>(at - words.begin());
}

DateFormat format_from(const ordered_json& j) {
  DateFormat f;
  f.order = word_of<DateOrder>(j.at("order"), orders);
  f.separator = character(j.at("separator")), f.before_time = character(j.at("before_time"));
  f.month_name = j.at("month_name").get<bool>(), f.day = j.at("day").get<bool>();
  f.time = j.at("time").get<bool>(), f.zone = j.at("zone").get<bool>();
  return f;
}

std::shared_ptr<const Network> network_from(const ordered_json& j) {
  const auto nodes = j.at("nodes").get<std::vector<std::string>>();
  std::vector<Network::NamedEdge> edges;
  for (const ordered_json& e : j.at("edges")) {
    const auto name = [&](size_t end) {
      const auto k = e.at(end).get<std::int64_t>();
      if (k < 0 || std::cmp_greater_equal(k, nodes.size())) refuse("an edge to no node");
      return nodes[static_cast<size_t>(k)];
    };
    edges.push_back({name(0), name(1), e.at(2).get<double>()});
  }
  return read_network(edges, nodes);
}

TypedColumn column_from(const ordered_json& j) {
  TypedColumn c{.name = j.at("name").get<std::string>()};
  c.type = word_of<ColumnType>(j.at("type"), column_type_words());
  if (holds_dates(c.type)) c.format = format_from(j.at("format"));
  if (c.type == ColumnType::node) c.network = network_from(j.at("network"));
  if (j.contains("missing_level")) c.missing_level = j.at("missing_level").get<bool>();
  if (holds_numbers(c.type) || c.type == ColumnType::node) return c;
  const auto values = j.at("values").get<std::vector<std::string>>();
  for (const std::string& v : values) {  // read now: a file that lies is found when it is read
    if (c.type == ColumnType::set) (void)read_item_set(v);
    if (c.type == ColumnType::graph) (void)read_graph(v);
  }
  c.codes = std::make_shared<Dictionary>(values);
  if (std::cmp_not_equal(c.codes->size(), values.size())) refuse("a value is there twice");
  return c;
}

}  // namespace

ordered_json json_of(const Schema& schema, const Rows& x) {
  ordered_json all = ordered_json::array();
  for (Index k = 0; k < schema.size(); ++k) {
    const TypedColumn& c = schema[k];
    // Texts that came with predictions are not the model's.
    const Index used = x.rows() > 0 ? Index(x.col(k).maxCoeff()) + 1 : 0;
    ordered_json j{{"name", c.name}, {"type", text_of(c.type)}};
    if (holds_dates(c.type)) j["format"] = json_of(c.format);
    if (c.missing_level) j["missing_level"] = true;
    if (c.network)
      j["network"] = json_of(*c.network);
    else if (c.codes)
      j["values"] = c.type == ColumnType::category ? c.codes->texts() : c.codes->texts(used);
    all.push_back(std::move(j));
  }
  return all;
}

Schema schema_from(const ordered_json& j, const std::vector<std::string>& names) {
  std::vector<TypedColumn> columns;
  for (const ordered_json& c : j) columns.push_back(column_from(c));
  Schema out(std::move(columns));
  if (out.names() != names) refuse("its columns are not the features");
  return out;
}

void check_codes(const Schema& schema, const Rows& x) {
  for (Index k = 0; k < schema.size(); ++k) {
    if (!schema[k].codes) continue;
    const auto size = double(schema[k].codes->size());
    for (const double code : x.col(k))
      if (!(code >= 0 && code < size && code == std::floor(code)))
        refuse(fmt::format("column '{}' has no value {}", schema[k].name, code));
  }
}

}  // namespace covary::internal
