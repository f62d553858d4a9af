#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "covary/base/dates.h"
#include "covary/base/error.h"
#include "covary/base/read_number.h"
#include "covary/kernels/nodes/network.h"
#include "covary/model/records.h"
#include "model/booleans.h"
#include "table/csv/field.h"

namespace covary {
using namespace internal;
namespace {

constexpr size_t most_levels = 100;  // of a column that nobody calls a category

/// The texts of a column that are not missing, with their rows.
struct Cells {
  std::vector<std::string> texts;
  std::vector<Index> rows;
};

/// A cell as text, whatever the column was read as.
std::string cell_text(const Column& c, Index row) {
  return c.kind == Column::Kind::text ? c.texts[static_cast<size_t>(row)]
                                      : format_number(c.values[static_cast<size_t>(row)]);
}

Cells cells_of(const Column& c) {
  Cells out;
  for (Index i = 0; i < c.rows(); ++i) {
    if (std::binary_search(c.missing.begin(), c.missing.end(), i)) continue;
    out.texts.push_back(cell_text(c, i)), out.rows.push_back(i);
  }
  return out;
}

template <class F>
bool all(const Cells& cells, F holds) {
  return !cells.texts.empty() && std::all_of(cells.texts.begin(), cells.texts.end(), holds);
}

[[noreturn]] void refuse_cell(const Table& table, const Column& c, Index row, const std::string& why) {
  throw Error(Problem::data, table.where(row, c.name) + ": " + why);
}

/// Whether all cells are so many digits.
bool all_digits(const Cells& cells, size_t digits) {
  return all(cells, [=](const std::string& t) {
    return t.size() == digits && t.find_first_not_of("0123456789") == t.npos;
  });
}

/// AM and PM in a part of the cells: the others may be of either half of the day.
void check_halves_of_days(const Table& table, const Column& c, const Cells& cells) {
  const auto half = [](const std::string& t) {
    return t.size() > 2 && (t.ends_with("M") || t.ends_with("m")) && t.find(':') != t.npos;
  };
  const auto with = std::find_if(cells.texts.begin(), cells.texts.end(), half);
  const auto without = std::find_if_not(cells.texts.begin(), cells.texts.end(), half);
  if (with != cells.texts.end() && without != cells.texts.end())
    refuse_cell(table, c, cells.rows[static_cast<size_t>(without - cells.texts.begin())],
                fmt::format("expected a time with AM or PM as in '{}', found '{}': one format for a column",
                            *with, *without));
}

/// The one format of a column of dates. Day or month first: decided by a day above 12, else by `order`.
DateFormat format_of(const Table& table, const Column& c, const Cells& cells, const std::string& order) {
  std::vector<DateFormat> left = date_formats(cells.texts.front());
  for (size_t i = 0; i < cells.texts.size(); ++i) {
    const std::vector<DateFormat> now = date_formats(cells.texts[i]);
    std::vector<DateFormat> both;
    for (const DateFormat& f : left)
      if (std::find(now.begin(), now.end(), f) != now.end()) both.push_back(f);
    if (both.empty()) {
      const std::string& text = cells.texts[i];
      if (left.empty())
        refuse_cell(table, c, cells.rows[i], fmt::format("expected a date, found '{}'", text));
      const auto read = read_date(text, left.front());
      const std::string why = read ? fmt::format(" ({})", read->wrong) : "";
      refuse_cell(
          table, c, cells.rows[i],
          fmt::format("expected a date as {} in the rows before, found '{}'{}: one format for a column",
                      words_of(left.front()), text, why));
    }
    left = both;
  }
  if (!order.empty())
    std::erase_if(left, [&](const DateFormat& f) {
      return f.order != (order == "dmy" ? DateOrder::dmy : order == "mdy" ? DateOrder::mdy : DateOrder::ymd);
    });
  if (left.empty())
    refuse_cell(table, c, cells.rows.front(),
                fmt::format("expected a date in the order {}, found '{}'", order, cells.texts.front()));
  if (left.size() > 1)
    throw Error(Problem::data,
                fmt::format("{}: '{}' may begin with the day or the month: --type '{}=date(dmy)' or "
                            "--type '{}=date(mdy)' says which",
                            table.where(cells.rows.front(), c.name), cells.texts.front(), c.name, c.name));
  for (size_t i = 0; i < cells.texts.size(); ++i)
    if (const auto read = read_date(cells.texts[i], left.front()); !read->wrong.empty())
      refuse_cell(table, c, cells.rows[i], fmt::format("'{}' is no date: {}", cells.texts[i], read->wrong));
  return left.front();
}

/// 19580301 or 1958 in every cell.
DateFormat digits_only(const Table& table, const Column& c, const Cells& cells) {
  const DateFormat out{.separator = '\0', .day = cells.texts.front().size() == 8};
  for (size_t i = 0; i < cells.texts.size(); ++i)
    if (const auto read = read_date(cells.texts[i], out); !read->wrong.empty())
      refuse_cell(table, c, cells.rows[i], fmt::format("'{}' is no date: {}", cells.texts[i], read->wrong));
  return out;
}

/// How many of the cells are what `holds` says.
template <class F>
size_t count(const Cells& cells, F holds) {
  return static_cast<size_t>(std::count_if(cells.texts.begin(), cells.texts.end(), holds));
}

/// Throws for the first cell that is not `expected`, as most cells of the column are.
template <class F>
void refuse_others(const Table& table, const Column& c, const Cells& cells, F holds,
                   const std::string& expected) {
  for (size_t i = 0; i < cells.texts.size(); ++i) {
    const std::string& text = cells.texts[i];
    if (holds(text)) continue;
    refuse_cell(table, c, cells.rows[i],
                fmt::format("expected {} as in most rows, found {}; the option type '{}=text' reads the "
                            "column as text",
                            expected, csv::shown(text), c.name));
  }
}

/// More than half of the cells look like dates.
bool looks_like_dates(const Cells& cells) {
  size_t dates = 0;
  const size_t step = std::max<size_t>(1, cells.texts.size() / 200);
  size_t looked = 0;
  for (size_t i = 0; i < cells.texts.size(); i += step, ++looked)
    dates += !date_formats(cells.texts[i]).empty();
  return 2 * dates > looked;
}

TypedColumn date_column(const Table& table, const Column& c, const Cells& cells, const std::string& order) {
  if (cells.texts.empty())
    throw Error(Problem::data, fmt::format("{}: column '{}' has no value", table.source, c.name));
  TypedColumn out{.name = c.name, .type = ColumnType::date};
  check_halves_of_days(table, c, cells);
  if (all_digits(cells, 8) || all_digits(cells, 4))
    out.format = digits_only(table, c, cells);
  else
    out.format = format_of(table, c, cells, order);
  if (out.format.time) out.type = ColumnType::datetime;
  return out;
}

bool is_graph(const std::string& t) { return t.starts_with("{") && t.find("\"nodes\"") != t.npos; }
bool is_list(const std::string& t) { return t.starts_with("[") && t.ends_with("]"); }

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = read_number(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

/// Levels that are all numbers by their value, others by their characters: not by the order of the rows.
std::vector<std::string> levels_of(const Cells& cells) {
  const std::set<std::string> distinct(cells.texts.begin(), cells.texts.end());
  std::vector<std::string> out(distinct.begin(), distinct.end());
  const bool numbers =
      std::all_of(out.begin(), out.end(), [](const std::string& t) { return number_in(t).has_value(); });
  if (numbers)
    std::stable_sort(out.begin(), out.end(), [](const std::string& a, const std::string& b) {
      return *number_in(a) < *number_in(b);
    });
  return out;
}

TypedColumn category_column(const Table& table, const Column& c, const Cells& cells,
                            const std::vector<std::string>& words) {
  TypedColumn out{.name = c.name, .type = ColumnType::category};
  std::vector<std::string> levels = words;
  out.missing_level = std::erase(levels, "NA") > 0;
  for (size_t i = 0; i < cells.texts.size() && !levels.empty(); ++i)
    if (std::find(levels.begin(), levels.end(), cells.texts[i]) == levels.end())
      refuse_cell(
          table, c, cells.rows[i],
          fmt::format("expected one of the levels {}, found '{}'", fmt::join(levels, ", "), cells.texts[i]));
  if (levels.empty()) levels = levels_of(cells);
  if (out.missing_level) levels.emplace_back("NA");
  out.codes = std::make_shared<Dictionary>(levels);
  return out;
}

TypedColumn node_column(const Column& c, const std::shared_ptr<const Network>& network) {
  return {.name = c.name, .type = ColumnType::node, .network = network};
}

TypedColumn guessed(const Table& table, const Column& c, const std::shared_ptr<const Network>& network) {
  const auto is_node = [&](const std::string& t) {
    return std::find(network->nodes.begin(), network->nodes.end(), t) != network->nodes.end();
  };
  if (c.kind == Column::Kind::number && !(network && all(cells_of(c), is_node))) {
    const bool whole = std::all_of(c.values.begin(), c.values.end(),
                                   [](double v) { return std::isnan(v) || v == std::floor(v); });
    return {.name = c.name, .type = whole ? ColumnType::integer : ColumnType::number};
  }
  const Cells cells = cells_of(c);
  const auto most = [&](auto holds) { return 2 * count(cells, holds) > cells.texts.size(); };
  if (network && most(is_node)) {
    refuse_others(table, c, cells, is_node, "a node of the network");
    return node_column(c, network);
  }
  if (all(cells, is_boolean)) return {.name = c.name, .type = ColumnType::boolean};
  if (looks_like_dates(cells)) return date_column(table, c, cells, "");
  refuse_strays(table, c);
  if (most(is_graph)) {
    refuse_others(table, c, cells, is_graph, "a graph, {\"nodes\": [...], \"edges\": [...]},");
    return {.name = c.name, .type = ColumnType::graph};
  }
  if (most([](const std::string& t) { return is_list(t) || t.find(';') != t.npos; }))
    return {.name = c.name, .type = ColumnType::set};
  const std::set<std::string> distinct(cells.texts.begin(), cells.texts.end());
  if (distinct.size() <= most_levels && 2 * distinct.size() <= cells.texts.size())
    return category_column(table, c, cells, {});
  return {.name = c.name, .type = ColumnType::text};
}

TypedColumn requested(const Table& table, const Column& c, const TypeRequest& r,
                      const std::shared_ptr<const Network>& network) {
  if (r.type == ColumnType::date || r.type == ColumnType::datetime)
    return date_column(table, c, cells_of(c), r.words.empty() ? "" : r.words.front());
  if (r.type == ColumnType::category) return category_column(table, c, cells_of(c), r.words);
  if (r.type != ColumnType::node) return {.name = c.name, .type = r.type};
  if (!network)
    throw Error(Problem::usage, fmt::format("--type {}=node: --graph FILE says which network", c.name));
  return node_column(c, network);
}

}  // namespace

TypeRequest parse_type(const std::string& text) {
  const size_t equals = text.rfind('=', text.find('(')), open = text.find('(', equals);
  const auto refuse = [&](const std::string& why) {
    return Error(Problem::usage, fmt::format("--type: expected COLUMN=TYPE, as Date=date(dmy), {}", why));
  };
  if (equals == text.npos || equals == 0) throw refuse(fmt::format("found '{}'", text));
  TypeRequest out{.column = text.substr(0, equals)};
  const std::string word = text.substr(equals + 1, open == text.npos ? text.npos : open - equals - 1);
  const std::vector<std::string>& known = column_type_words();
  const auto at = std::find(known.begin(), known.end(), word);
  if (at == known.end())
    throw refuse(fmt::format("found the type '{}'{}; there are {}", word, did_you_mean(word, known),
                             fmt::join(known, ", ")));
  out.type = static_cast<ColumnType>(at - known.begin());
  if (open == text.npos) return out;
  if (!text.ends_with(')')) throw refuse(fmt::format("found no ')' at the end of '{}'", text));
  std::string inside = text.substr(open + 1, text.size() - open - 2);
  for (size_t from = 0; from <= inside.size();) {
    const size_t comma = std::min(inside.find(',', from), inside.size());
    std::string one = inside.substr(from, comma - from);
    one.erase(0, one.find_first_not_of(' '));
    one.erase(one.find_last_not_of(' ') + 1);
    if (!one.empty()) out.words.push_back(one);
    from = comma + 1;
  }
  const bool date = holds_dates(out.type);
  if (date && (out.words.size() != 1 || !std::set<std::string>{"ymd", "dmy", "mdy"}.contains(out.words[0])))
    throw refuse(fmt::format("of dates in the order ymd, dmy or mdy, found '{}'", inside));
  if (!date && out.type != ColumnType::category)
    throw refuse(fmt::format("found '({})' after {}", inside, word));
  return out;
}

Schema schema_of(const Table& table, const std::vector<std::string>& columns,
                 const std::vector<TypeRequest>& requests, const std::shared_ptr<const Network>& network) {
  for (const TypeRequest& r : requests) (void)table.column(r.column);
  std::vector<TypedColumn> out;
  for (const std::string& name : columns) {
    const Column& c = table.column(name);
    const auto asked = std::find_if(requests.begin(), requests.end(),
                                    [&](const TypeRequest& r) { return r.column == name; });
    out.push_back(asked == requests.end() ? guessed(table, c, network)
                                          : requested(table, c, *asked, network));
  }
  return out;
}

void internal::check_nodes(const Table& table, const Schema& schema,
                           const std::shared_ptr<const Network>& network) {
  const auto nodes = [](const TypedColumn& c) { return c.type == ColumnType::node; };
  if (!network || std::any_of(schema.columns().begin(), schema.columns().end(), nodes)) return;
  const std::set<std::string> known(network->nodes.begin(), network->nodes.end());
  const auto is_node = [&](const std::string& t) { return known.contains(t); };
  for (const TypedColumn& typed : schema.columns()) {
    const Column& c = table.column(typed.name);
    const Cells cells = cells_of(c);
    if (2 * count(cells, is_node) > cells.texts.size())
      refuse_others(table, c, cells, is_node, "a node of the network");
  }
  throw Error(Problem::data,
              fmt::format("{}: no column holds nodes of the network, as '{}'; there are {}", table.source,
                          network->nodes.front(), fmt::join(schema.names(), ", ")));
}

}  // namespace covary
