#include "covary/model/records.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>

#include "covary/base/error.h"
#include "covary/base/names.h"
#include "covary/kernels/explain.h"
#include "covary/kernels/nodes/network.h"
#include "model/booleans.h"

namespace covary {
using namespace internal;

std::optional<double> internal::boolean_in(const std::string& text) {
  std::string small;
  for (const char c : text) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (small == "yes" || small == "true") return 1;
  if (small == "no" || small == "false") return 0;
  return {};
}

namespace {

double date_number(const TypedColumn& c, const std::string& cell) {
  constexpr double day = 86400;
  const auto read = read_date(cell, c.format);
  if (!read)
    throw Error(Problem::data, fmt::format("expected a date as {}, found '{}'", words_of(c.format), cell));
  if (!read->wrong.empty()) throw Error(Problem::data, fmt::format("'{}' is no date: {}", cell, read->wrong));
  return c.type == ColumnType::date ? double(read->days) : double(read->days) * day + read->seconds;
}

/// The number of a cell of column k, which is not missing.
double number_of(const Schema& schema, Index k, const std::string& cell) {
  const TypedColumn& c = schema[k];
  if (holds_dates(c.type)) return date_number(c, cell);
  if (c.type != ColumnType::boolean) return schema.code(k, cell);
  if (const auto value = boolean_in(cell)) return *value;
  throw Error(Problem::data, fmt::format("expected yes or no, found '{}'", cell));
}

/// rows: column k of the table, which is not read as numbers.
Vector column_of(const Table& table, const Schema& schema, Index k, const std::vector<Index>& rows) {
  const TypedColumn& typed = schema[k];
  const Column& c = table.column(typed.name);
  const bool numbers = c.kind == Column::Kind::number;
  if (numbers && typed.type == ColumnType::boolean)
    return internal::numbers(table, {typed.name}, rows).col(0);
  Vector out(std::ssize(rows));
  for (Index i = 0; i < out.size(); ++i) {
    const Index row = rows[static_cast<size_t>(i)];
    const bool missing = std::binary_search(c.missing.begin(), c.missing.end(), row);
    if (missing && !typed.missing_level)
      throw Error(Problem::data, fmt::format("{}: expected a {}, found none", table.where(row, c.name),
                                             text_of(typed.type)));
    const std::string cell = missing   ? "NA"
                             : numbers ? format_number(c.values[static_cast<size_t>(row)])
                                       : c.texts[static_cast<size_t>(row)];
    try {
      out[i] = number_of(schema, k, cell);
    } catch (const Error& e) {
      throw Error(e.problem(), table.where(row, c.name) + ": " + e.what());
    }
  }
  return out;
}

}  // namespace

namespace {

/// Why the kernel cannot read these rows side by side; "" if it can. A kernel whose parameters are still to be
/// learned may be unable to say.
std::string refusal(const Kernel<Row>& kernel, const Rows& x) {
  try {
    (void)kernel.diag(x);
  } catch (const Error& e) {
    if (e.problem() == Problem::data) return e.what();
  }
  return "";
}

/// "column 's': why" of a row as "FILE, line 3, column 's': why"; "why" as "FILE, line 3: why".
std::string placed(const Table& table, const Schema& schema, Index row, const std::string& why) {
  for (const TypedColumn& c : schema.columns())
    if (const std::string start = fmt::format("column '{}'", c.name); why.starts_with(start + ": "))
      return table.where(row, c.name) + why.substr(start.size());
  const std::string place = table.where(row, "");
  return place.substr(0, place.rfind(", column ")) + ": " + why;
}

}  // namespace

namespace {

/// The named number of a call, or the upper end of its range.
double setting_of(const Expression& call, const std::string& name, double otherwise) {
  for (const Argument& a : call.arguments)
    if (a.name == name) return a.limits.empty() ? a.values.front() : a.limits.front().upper;
  return otherwise;
}

/// With s = sum of the lengths l_i of the texts: n sum_(i <= j) l_i l_j of subsequences, a sort of all substrings of the
/// others that count, and a comparison of every pair of aligned texts.
double text_steps(const Expression& call, const Vector& lengths) {
  constexpr double sorting = 150;
  const double s = lengths.sum();
  if (call.name == "subsequence") return setting_of(call, "n", 3) * 0.5 * (s * s + lengths.squaredNorm());
  if (call.name == "spectrum") return sorting * setting_of(call, "k", 3) * s;
  if (call.name == "mismatch") return sorting * std::exp2(setting_of(call, "k", 4)) * s;
  return 0.5 * double(lengths.size()) * s;
}

void add_text_costs(const Expression& e, const Schema& schema, const Rows& x, Index column,
                    std::vector<TextCost>& out) {
  if (e.name == "on" && e.reads.size() == 1) column = e.reads.front();
  for (const Expression& part : e.parts) add_text_costs(part, schema, x, column, out);
  if (e.kind != Expression::Kind::call || !e.parts.empty() || column < 0) return;
  if (schema[column].type != ColumnType::text) return;
  const std::set<double> codes(x.col(column).begin(), x.col(column).end());
  Vector lengths(std::ssize(codes));
  Index i = 0;
  for (const double code : codes) lengths[i++] = double(schema.text(column, code).size());
  out.push_back({column, text_of(e), lengths.size(), static_cast<size_t>(lengths.maxCoeff()),
                 text_steps(e, lengths), e.parameters.empty()});
}

}  // namespace

std::vector<TextCost> internal::text_costs(const Expression& kernel, const Schema& schema, const Rows& x) {
  std::vector<TextCost> out;
  if (x.rows() > 0) add_text_costs(kernel, schema, x, -1, out);
  return out;
}

void internal::check_readable(const Kernel<Row>& kernel, const Table& table, const Schema& schema,
                              const std::vector<Index>& rows, const Rows& x, const Rows& beside) {
  const auto& all = schema.columns();
  const bool objects = std::any_of(all.begin(), all.end(), [](const TypedColumn& c) {
    return c.type == ColumnType::text || c.type == ColumnType::set || c.type == ColumnType::graph;
  });
  if (!objects && refusal(kernel, x).empty()) return;
  // Some objects at a time: of many at once, some kernels would keep the covariances.
  constexpr Index most = 15;
  for (Index first = 0; first < x.rows(); first += most) {
    const Index count = std::min(most, x.rows() - first);
    Matrix some(count + 1, x.cols());
    some << beside.row(0), x.middleRows(first, count);
    if (refusal(kernel, some).empty()) continue;
    for (Index i = first; i < first + count; ++i) {
      Matrix two(2, x.cols());
      two << beside.row(0), x.row(i);
      const std::string why = refusal(kernel, two);
      if (!why.empty()) throw Error(Problem::data, placed(table, schema, rows[static_cast<size_t>(i)], why));
    }
  }
}

std::shared_ptr<const Network> read_network(const Table& edges) {
  const auto named = [&](size_t k) -> const Column& { return edges.columns[k]; };
  if (edges.columns.size() < 2)
    throw Error(Problem::data, fmt::format("{}: expected two columns of nodes, from and to, found {}",
                                           edges.source, edges.columns.size()));
  const auto text = [](const Column& c, Index i) {
    return c.kind == Column::Kind::text ? c.texts[static_cast<size_t>(i)]
                                        : format_number(c.values[static_cast<size_t>(i)]);
  };
  const std::vector<Index> rows = complete_rows(edges, {named(0).name, named(1).name}, Missing::error);
  Vector weight = Vector::Ones(edges.rows());
  if (edges.columns.size() > 2) weight = internal::numbers(edges, {named(2).name}, rows).col(0);
  std::vector<Network::NamedEdge> all;
  for (Index i = 0; i < edges.rows(); ++i) all.push_back({text(named(0), i), text(named(1), i), weight[i]});
  return internal::read_network(all, {}, [&](size_t i) {
    const bool weighted = edges.columns.size() > 2 && !(all[i].weight > 0 && all[i].weight <= 1e100);
    return edges.where(Index(i), named(weighted ? 2 : 1).name);
  });
}

Matrix encoded(const Table& table, const Schema& schema, const std::vector<Index>& rows) {
  const auto plain = [](const TypedColumn& c) {
    return c.type == ColumnType::number || c.type == ColumnType::integer;
  };
  const std::vector<std::string> names = schema.names();
  if (std::all_of(schema.columns().begin(), schema.columns().end(), plain))
    return internal::numbers(table, names, rows);
  Matrix out(std::ssize(rows), schema.size());
  for (Index k = 0; k < schema.size(); ++k)
    out.col(k) = plain(schema[k])
                     ? Vector(internal::numbers(table, {names[static_cast<size_t>(k)]}, rows).col(0))
                     : column_of(table, schema, k, rows);
  return out;
}

bool internal::is_plain(const Schema& schema) {
  return std::all_of(schema.columns().begin(), schema.columns().end(), [](const TypedColumn& c) {
    return c.type == ColumnType::number || c.type == ColumnType::integer;
  });
}

std::string internal::default_kernel(const Schema& schema, const std::string& numbers) {
  std::vector<std::string> factors;
  const auto any = [&](auto holds) {
    return std::any_of(schema.columns().begin(), schema.columns().end(), holds);
  };
  if (any([](const TypedColumn& c) { return holds_numbers(c.type); })) factors.push_back(numbers);
  if (any([](const TypedColumn& c) { return c.type == ColumnType::category; }))
    factors.emplace_back("category()");
  for (const TypedColumn& c : schema.columns()) {
    const char* const kernel = c.type == ColumnType::text    ? "spectrum(k=3)"
                               : c.type == ColumnType::set   ? "minmax()"
                               : c.type == ColumnType::graph ? "weisfeiler_lehman()"
                               : c.type == ColumnType::node  ? "graph_matern()"
                                                             : nullptr;
    if (kernel != nullptr) factors.push_back(fmt::format("on({}, {})", quoted_if_needed(c.name), kernel));
  }
  return factors.empty() ? numbers : fmt::format("{}", fmt::join(factors, " * "));
}

std::vector<Index> internal::input_columns(const Schema& all, const std::string& kernel,
                                           const Functions& functions) {
  std::vector<Index> read, out;
  if (!kernel.empty()) read = columns_read(parse(kernel, all, functions), all.size());
  for (Index k = 0; k < all.size(); ++k) {
    const ColumnType type = all[k].type;
    const bool usual = kernel.empty() && (type == ColumnType::category || type == ColumnType::node);
    if (usual || holds_numbers(type) || std::find(read.begin(), read.end(), k) != read.end())
      out.push_back(k);
  }
  return out;
}

std::vector<std::string> internal::required_columns(const Schema& schema) {
  std::vector<std::string> out;
  for (const TypedColumn& c : schema.columns())
    if (!c.missing_level) out.push_back(c.name);
  return out;
}

std::vector<std::string> internal::new_texts(const Schema& schema, Index k, const Rows& then,
                                             const Rows& now) {
  if (!schema[k].codes) return {};
  std::set<double> fresh(now.col(k).begin(), now.col(k).end());
  for (Index i = 0; i < then.rows() && !fresh.empty(); ++i) fresh.erase(then(i, k));
  std::vector<std::string> out;
  for (const double code : fresh) out.push_back(schema.text(k, code));
  return out;
}

std::string internal::type_summary(const Schema& schema, Index k, const Rows& x) {
  const TypedColumn& c = schema[k];
  if (c.type == ColumnType::category || c.codes) {
    const size_t distinct = std::unordered_set<double>(x.col(k).begin(), x.col(k).end()).size();
    return c.type == ColumnType::category ? fmt::format("category of {} levels", distinct)
                                          : fmt::format("{}, {} different", text_of(c.type), distinct);
  }
  if (!holds_dates(c.type) || x.rows() == 0) return text_of(c.type);
  return fmt::format("{} from {} to {}, in {}", text_of(c.type), schema.text(k, x.col(k).minCoeff()),
                     schema.text(k, x.col(k).maxCoeff()), c.type == ColumnType::date ? "days" : "seconds");
}

}  // namespace covary
