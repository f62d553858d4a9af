// Frames as records: their columns become a table of the core, which finds the types and the codes.
#include "records/schema.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "arrays.h"
#include "bind.h"
#include "covary/base/error.h"
#include "covary/kernels/columns.h"
#include "covary/kernels/explain.h"
#include "covary/kernels/nodes/network.h"
#include "function.h"

namespace covary::python {
namespace {

using namespace nb::literals;

/// A column as Python hands it over.
struct GivenColumn {
  Column cells;
  std::string type;                 // "": to be guessed
  std::vector<std::string> levels;  // of a category, in order
  bool dates = false;               // the texts are dates as 1958-03-01 12:30:15, in UTC
};

/// A level of a category, or a cell: a number as a table has it, or a text.
std::string level_text(nb::handle level) {
  if (nb::isinstance<nb::str>(level)) return nb::cast<std::string>(level);
  return internal::format_number(nb::cast<double>(nb::float_(level)));
}

Column cells_of(const std::string& name, nb::handle given) {
  Column c{.name = name};
  if (!nb::isinstance<nb::list>(given)) {
    const Vector v = values(given, name.c_str());
    c.values.assign(v.begin(), v.end());
    for (Index i = 0; i < v.size(); ++i)
      if (std::isnan(v[i])) c.missing.push_back(i);
    return c;
  }
  c.kind = Column::Kind::text;
  c.label = true;  // text that holds numbers is text
  for (const nb::handle cell : nb::borrow<nb::list>(given)) {
    if (cell.is_none()) c.missing.push_back(std::ssize(c.texts));
    c.texts.push_back(cell.is_none() ? "" : nb::cast<std::string>(cell));
  }
  return c;
}

/// From (name, cells, type, levels, dates): cells are an array of numbers, or a list of texts and None.
std::vector<GivenColumn> given_columns(const nb::list& columns) {
  std::vector<GivenColumn> out;
  for (const nb::handle h : columns) {
    const auto t = nb::cast<nb::tuple>(h);
    GivenColumn c{cells_of(nb::cast<std::string>(t[0]), t[1]), nb::cast<std::string>(t[2]), {}, false};
    for (const nb::handle level : nb::cast<nb::list>(t[3])) c.levels.push_back(level_text(level));
    c.dates = nb::cast<bool>(t[4]);
    out.push_back(std::move(c));
  }
  return out;
}

Table table_of(const std::vector<GivenColumn>& columns) {
  Table t{.source = "X"};
  for (const GivenColumn& c : columns) t.columns.push_back(c.cells);
  return t;
}

/// The message of an error with the place as Python has it, where(column, row), and Python's arguments.
std::string reworded(const std::string& text, const Table& table, const nb::callable& where) {
  std::string out = text;
  const std::string start = "X, row ";
  const Index row = text.starts_with(start) ? std::atol(text.c_str() + start.size()) - 1 : -1;
  for (Index k = 0; k < std::ssize(table.columns) && row >= 0; ++k)
    if (const std::string place = table.where(row, table.columns[static_cast<size_t>(k)].name);
        text.starts_with(place + ":")) {
      out = nb::cast<std::string>(where(k, row)) + text.substr(place.size());
      break;
    }
  if (const std::string place = start + std::to_string(row + 1) + ":"; text.starts_with(place))
    out = "X[" + std::to_string(row) + "]:" + text.substr(place.size());
  static const std::regex option(R"(--type '(.*?)=(\w+\(\w+\))')");
  return std::regex_replace(out, option, "types={'$1': '$2'}");
}

template <class F>
auto placed_errors(const Table& table, const nb::callable& where, F f) {
  try {
    return f();
  } catch (const Error& e) {
    throw Error(e.problem(), reworded(e.what(), table, where));
  }
}

TypeRequest request_of(const GivenColumn& c, bool network) {
  TypeRequest out;
  try {
    out = parse_type("x=" + c.type);
  } catch (const Error& e) {
    const std::string why = e.what(), option = "--type: expected COLUMN=TYPE, as Date=date(dmy), ";
    throw Error(Problem::usage, "types: expected the type of column '" + c.cells.name + "' as 'date(dmy)', " +
                                    (why.starts_with(option) ? why.substr(option.size()) : why));
  }
  if (out.type == ColumnType::node && !network)
    throw Error(Problem::usage, "types: column '" + c.cells.name + "' holds nodes: graph=... says of what");
  out.column = c.cells.name;
  if (!c.levels.empty()) out.words = c.levels;
  return out;
}

Schema schema_from(const nb::list& columns, const std::optional<NetworkHandle>& network,
                   const nb::callable& where) {
  const std::vector<GivenColumn> given = given_columns(columns);
  const Table table = table_of(given);
  std::vector<TypeRequest> requests;
  std::vector<std::string> names;
  for (const GivenColumn& c : given) {
    names.push_back(c.cells.name);
    if (!c.type.empty()) requests.push_back(request_of(c, network.has_value()));
  }
  return placed_errors(table, where, [&] {
    Schema schema = schema_of(table, names, requests, network ? network->network : nullptr);
    if (network) internal::check_nodes(table, schema, network->network);
    return schema;
  });
}

/// The schema that reads what is given: dates as Python hands them over, whatever a table writes.
Schema reader(const Schema& schema, const std::vector<GivenColumn>& given) {
  std::vector<TypedColumn> columns = schema.columns();
  for (size_t k = 0; k < columns.size(); ++k)
    if (given[k].dates && internal::holds_dates(columns[k].type))
      columns[k].format = {.time = columns[k].type == ColumnType::datetime};
  return columns;
}

/// n x d, in the order of the schema: rows that the kernel, if there is one, can read beside the first of `beside`.
Matrix encode(const Schema& schema, const nb::list& columns, const nb::callable& where, nb::handle kernel,
              const std::optional<Matrix>& beside) {
  const std::vector<GivenColumn> given = given_columns(columns);
  if (std::ssize(given) != schema.size())
    throw Error(Problem::usage, "X: expected " + std::to_string(schema.size()) + " columns, found " +
                                    std::to_string(given.size()));
  const Table table = table_of(given);
  const KernelText k = kernel.is_none() ? KernelText{} : said(kernel);
  return placed_errors(table, where, [&] {
    const std::vector<Index> rows = internal::all_indices(table.rows());
    Matrix x = encoded(table, reader(schema, given), rows);
    if (!k.kernel.empty() && k.functions.empty() && x.rows() > 0)
      internal::check_readable(parse(k.kernel, schema), table, schema, rows, x,
                               (beside ? *beside : x).topRows(1));
    return x;
  });
}

/// What the kernel reads, and every column of numbers; without a kernel, categories and nodes too, or all where
/// there would be none. What `covary fit` uses of a table.
std::vector<Index> used(const Schema& schema, nb::handle kernel) {
  const KernelText k = kernel.is_none() ? KernelText{} : said(kernel);
  const std::vector<Index> out = internal::input_columns(schema, k.kernel, k.functions);
  return out.empty() ? internal::all_indices(schema.size()) : out;
}

std::vector<std::string> types(const Schema& schema) {
  std::vector<std::string> out;
  for (const TypedColumn& c : schema.columns()) out.push_back(text_of(c.type));
  return out;
}

std::vector<bool> missing_levels(const Schema& schema) {
  std::vector<bool> out;
  for (const TypedColumn& c : schema.columns()) out.push_back(c.missing_level);
  return out;
}

NetworkHandle network_of(const std::vector<std::tuple<std::string, std::string, double>>& edges,
                         const std::vector<std::string>& nodes) {
  std::vector<Network::NamedEdge> all;
  for (const auto& [from, to, weight] : edges) all.push_back({from, to, weight});
  return {read_network(all, nodes)};
}

/// What pickle keeps: name, type, texts, format, whether missing is a level, network.
nb::list state(const Schema& schema) {
  nb::list all;
  for (const TypedColumn& c : schema.columns()) {
    const internal::DateFormat& f = c.format;
    const nb::tuple format = nb::make_tuple(int(f.order), int(f.separator), f.month_name, f.day, f.time,
                                            int(f.before_time), f.zone);
    nb::object network = nb::none();
    if (c.network) {
      nb::list edges;
      for (const Network::Edge& e : c.network->edges)
        edges.append(nb::make_tuple(c.network->nodes[static_cast<size_t>(e.a)],
                                    c.network->nodes[static_cast<size_t>(e.b)], e.weight));
      network = nb::make_tuple(edges, c.network->nodes);
    }
    all.append(nb::make_tuple(c.name, int(c.type), c.codes ? nb::cast(c.codes->texts()) : nb::none(), format,
                              c.missing_level, network));
  }
  return all;
}

Schema from_state(const nb::list& state) {
  std::vector<TypedColumn> columns;
  for (const nb::handle h : state) {
    const auto t = nb::cast<nb::tuple>(h), f = nb::cast<nb::tuple>(t[3]);
    TypedColumn c{.name = nb::cast<std::string>(t[0]), .type = ColumnType(nb::cast<int>(t[1]))};
    if (!t[2].is_none())
      c.codes = std::make_shared<internal::Dictionary>(nb::cast<std::vector<std::string>>(t[2]));
    c.format = {internal::DateOrder(nb::cast<int>(f[0])),
                char(nb::cast<int>(f[1])),
                nb::cast<bool>(f[2]),
                nb::cast<bool>(f[3]),
                nb::cast<bool>(f[4]),
                char(nb::cast<int>(f[5])),
                nb::cast<bool>(f[6])};
    c.missing_level = nb::cast<bool>(t[4]);
    if (const nb::object n = t[5]; !n.is_none()) {
      using Edges = std::vector<std::tuple<std::string, std::string, double>>;
      c.network = network_of(nb::cast<Edges>(n[0]), nb::cast<std::vector<std::string>>(n[1])).network;
    }
    columns.push_back(std::move(c));
  }
  return columns;
}

}  // namespace

Schema schema_or_none(const std::optional<Schema>& given) {
  return given && !internal::is_plain(*given) ? *given : Schema();
}

void bind_schema(nb::module_& m) {
  nb::class_<NetworkHandle>(m, "Network", "A weighted, undirected graph whose nodes a column names.");
  m.def("network", &network_of, "edges"_a, "nodes"_a = std::vector<std::string>{},
        "Of edges (from, to, weight); nodes: those that come first, and may have no edge.");
  nb::class_<Schema> c(m, "Schema", "The types of the columns of records. Copies share their codes.");
  c.def_static(
      "of", &schema_from, "columns"_a, "network"_a.none(), "where"_a,
      "From (name, cells, type, levels, dates) of each column. where(column, row): how errors call a "
      "cell.");
  c.def("encode", &encode, "columns"_a, "where"_a, "kernel"_a = nb::none(), "beside"_a = nb::none(),
        "rows x columns: numbers, dates and codes; kernel: what has to read them, beside the first row of "
        "`beside`.");
  c.def("used", &used, "kernel"_a.none(), "The columns that a model with this kernel reads.");
  c.def("only", &Schema::only, "columns"_a);
  c.def("text", &Schema::text, "column"_a, "value"_a, "A value as a table has it.");
  c.def("default_kernel", &internal::default_kernel, "numbers"_a = "matern52()");
  c.def("__getstate__", &state);
  c.def("__setstate__", [](Schema& s, const nb::list& state) { new (&s) Schema(from_state(state)); });
  c.def_prop_ro("names", &Schema::names);
  c.def_prop_ro("types", &types);
  c.def_prop_ro("missing_levels", &missing_levels, "Whether a missing cell is a level, of each column.");
  c.def_prop_ro(
      "plain", [](const Schema& s) { return internal::is_plain(s); }, "Numbers alone.");
  c.def_prop_ro("all_numbers", &Schema::all_numbers, "No column has codes.");
}

}  // namespace covary::python
