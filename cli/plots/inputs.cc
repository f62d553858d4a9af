#include "plots/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "covary/base/names.h"
#include "numbers.h"

namespace covary::cli {
namespace {

constexpr double seconds_in_a_day = 86400;

std::string level_name(const Schema& schema, Index k, double value) {
  if (schema[k].type == ColumnType::boolean) return value == 0 ? "no" : "yes";
  return schema.text(k, value);
}

std::optional<double> date_in(const TypedColumn& c, const std::string& text) {
  const double day = c.type == ColumnType::date ? 1 : seconds_in_a_day;
  const bool year = text.size() == 4 && text.find_first_not_of("0123456789") == text.npos;
  if (year) return day * double(internal::days_of(std::stoi(text), 1, 1));
  for (const internal::DateFormat& f : internal::date_formats(text))
    if (const auto read = internal::read_date(text, f); read && read->wrong.empty())
      return day * double(read->days) + (day > 1 ? read->seconds : 0);
  return {};
}

std::optional<double> level_in(const TypedColumn& c, const std::string& text) {
  if (c.type == ColumnType::boolean)
    return text == "yes" || text == "true" || text == "1"   ? std::optional(1.0)
           : text == "no" || text == "false" || text == "0" ? std::optional(0.0)
                                                            : std::nullopt;
  const auto code = c.codes->find(text);
  return code ? std::optional(double(*code)) : std::nullopt;
}

}  // namespace

Schema inputs_of(const FittedModel& m) { return internal::schema_of(m->request, m->features); }

bool has_levels(ColumnType type) { return type == ColumnType::category || type == ColumnType::boolean; }

Measure measure_of(const TypedColumn& column) {
  if (column.type == ColumnType::date) return {Measure::Kind::days};
  return {column.type == ColumnType::datetime ? Measure::Kind::seconds : Measure::Kind::number};
}

Levels levels_of(const FittedModel& m, Index k, Index most) {
  const Schema schema = inputs_of(m);
  std::map<double, Index> rows;
  for (const double value : m->x.col(k)) ++rows[value];
  std::vector<double> values;
  values.reserve(rows.size());
  for (const auto& [value, count] : rows) values.push_back(value);
  std::stable_sort(values.begin(), values.end(), [&](double a, double b) { return rows[a] > rows[b]; });
  Levels out;
  out.left_out = std::max<Index>(0, std::ssize(values) - most);
  values.resize(values.size() - size_t(out.left_out));
  std::sort(values.begin(), values.end());
  for (const double value : values) out.names.push_back(level_name(schema, k, value));
  out.values = std::move(values);
  return out;
}

double value_in(const Schema& schema, Index k, const std::string& text, const std::string& what) {
  const TypedColumn& c = schema[k];
  if (has_levels(c.type)) {
    if (const auto level = level_in(c, text)) return *level;
    const std::vector<std::string> known = c.codes ? c.codes->texts(std::min<Index>(c.codes->size(), 1000))
                                                   : std::vector<std::string>{"no", "yes"};
    throw Error(Problem::usage, fmt::format("{}: '{}' has no level '{}'{}", what, c.name, text,
                                            internal::there_are(text, known)));
  }
  if (c.codes) return schema.code(k, text);
  const bool date = internal::holds_dates(c.type);
  if (const auto value = date ? date_in(c, text) : number_in(text)) return *value;
  throw Error(Problem::usage, fmt::format("{}: expected {} of '{}', found '{}'", what,
                                          date ? "a date as 2000-12-31" : "a number", c.name, text));
}

InputCounts count_inputs(const FittedModel& m) {
  InputCounts out;
  const Schema inputs = inputs_of(m);
  for (const TypedColumn& c : inputs.columns())
    ++(has_levels(c.type) ? out.levels : internal::holds_numbers(c.type) ? out.along : out.objects);
  return out;
}

std::vector<std::string> kinds_of(const FittedModel& m) {
  const InputCounts n = count_inputs(m);
  std::vector<std::string> out;
  if (n == InputCounts{1, 0, 0} || n == InputCounts{0, 1, 0} || n == InputCounts{1, 1, 0})
    out.emplace_back("curve");
  if (n == InputCounts{2, 0, 0}) out.emplace_back("map");
  const bool objects_alone = n.along + n.levels == 0;
  if (objects_alone && !m->weights) out.emplace_back("kernel");
  out.emplace_back("observed");
  if (!objects_alone) out.emplace_back("slices");
  if (m->weights) out.emplace_back("weights");
  if (!objects_alone && !m->weights) out.emplace_back("kernel");
  return out;
}

std::string inputs_in_words(const FittedModel& m) {
  std::vector<std::string> out;
  const Schema inputs = inputs_of(m);
  for (const TypedColumn& c : inputs.columns())
    out.push_back(fmt::format("{} ({})", c.name, text_of(c.type)));
  if (out.size() > 8) return fmt::format("{} inputs", out.size());
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace covary::cli
