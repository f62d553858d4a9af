#include "verbs/place_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "command.h"
#include "covary/base/error.h"
#include "covary/model/records.h"
#include "covary/place/history.h"
#include "inputs/model_options.h"
#include "verbs/place_readings.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr size_t most_axes = 3;  // that are taken unasked where only names matter

/// The column of names: that of --name, or one with a usual name for it; nullptr: none.
const Column* name_column(const Table& table, const std::string& asked) {
  if (!asked.empty()) return &table.column(asked);
  if (!table.columns.empty() && !table.columns.front().named()) return &table.columns.front();
  for (const char* usual : {"name", "station", "id", "Name", "Station", "ID"})
    if (const Column* c = table.find(usual)) return c;
  return nullptr;
}

/// Columns that have another use.
std::vector<std::string> used_columns(const PlaceArguments& a) {
  std::vector<std::string> used{a.name, a.forbid, a.cost, a.group, after(a.noise, "column:")};
  std::erase(used, "");
  return used;
}

/// "x" of "X [m]" and of "x_m".
std::string plain_name(const std::string& name) {
  std::string out;
  for (const char c : name.substr(0, name.find_first_of(" _[(")))
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Two columns with the names that coordinates usually have; empty: none are called so.
std::vector<std::string> usual_axes(const std::vector<std::string>& columns) {
  static const std::vector<std::pair<std::string, std::string>> usual{
      {"x", "y"}, {"east", "north"}, {"easting", "northing"}, {"lon", "lat"}, {"longitude", "latitude"}};
  for (const auto& [across, up] : usual) {
    std::vector<std::string> found;
    for (const std::string& wanted : {across, up})
      for (const std::string& c : columns)
        if (plain_name(c) == wanted) found.push_back(c);
    if (found.size() == 2 && plain_name(found[0]) != plain_name(found[1])) return found;
  }
  return {};
}

/// The column whose cells are nodes of the network.
std::vector<std::string> node_axis(const Table& table, const std::shared_ptr<const Network>& network) {
  for (const Column& c : table.columns)
    if (c.named() && schema_of(table, {c.name}, {}, network)[0].type == ColumnType::node) return {c.name};
  throw Error(Problem::data, fmt::format("{}: no column names nodes of the network; it has {}", table.source,
                                         listed(table.names())));
}

std::vector<std::string> chosen_axes(const PlaceArguments& a, const Table& table, const Column* names,
                                     const std::shared_ptr<const Network>& network, Messages& messages) {
  if (!a.coordinates.empty()) {
    std::vector<std::string> axes = names_in(a.coordinates);
    for (const std::string& c : axes) table.column(c);
    return axes;
  }
  if (network) return node_axis(table, network);
  const std::vector<std::string> used = used_columns(a);
  std::vector<std::string> axes;
  for (const Column& c : table.columns) {
    const bool of_readings =
        is_among(c.name, a.history) || is_among(c.name, a.covariance) || is_among(c.name, a.held_out);
    if (&c == names || !c.named() || of_readings || std::count(used.begin(), used.end(), c.name) > 0)
      continue;
    internal::refuse_strays(table, c);
    if (c.kind == Column::Kind::number && std::cmp_less(c.missing.size(), table.rows()))
      axes.push_back(c.name);
  }
  if (std::vector<std::string> two = usual_axes(axes); !two.empty()) axes = std::move(two);
  if (a.by_name() && a.kernel.empty() && axes.size() > most_axes) return {};
  if (!axes.empty()) messages.note(fmt::format("coordinates: {} (--coordinates)", fmt::join(axes, ", ")));
  return axes;
}

void check_distinct(const Places& p, const Column& c) {
  std::map<std::string, Index> seen;
  for (size_t i = 0; i < p.names().size(); ++i) {
    const auto [at, is_new] = seen.emplace(p.names()[i], p.rows[i]);
    if (!is_new)
      throw Error(Problem::data, fmt::format("{}: '{}' is the name of another place too, on line {}",
                                             p.table.where(p.rows[i], c.name), p.names()[i],
                                             p.table.lines.line(at->second)));
  }
}

void read_names(Places& p, const Column* c) {
  p.named = c != nullptr;
  if (c) p.name_column = c->name;
  for (const Index r : p.rows) p.where.names.push_back(c ? field(*c, r) : std::to_string(r + 1));
  if (c) check_distinct(p, *c);
}

Vector positive(const Table& table, const std::string& column, const std::vector<Index>& rows,
                const char* what) {
  Vector v = internal::numbers(table, {column}, rows).col(0);
  for (Index i = 0; i < v.size(); ++i)
    if (!(v[i] > 0))
      throw Error(Problem::data, fmt::format("{}: expected a positive {}, found {}",
                                             table.where(rows[static_cast<size_t>(i)], column), what, v[i]));
  return v;
}

bool is_yes(const Table& table, const Column& c, Index row) {
  if (std::binary_search(c.missing.begin(), c.missing.end(), row)) return false;
  if (c.kind == Column::Kind::number) return c.values[static_cast<size_t>(row)] != 0;
  std::string word = c.texts[static_cast<size_t>(row)];
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char b) { return std::tolower(b); });
  if (word == "yes" || word == "true" || word == "y") return true;
  if (word == "no" || word == "false" || word == "n" || word.empty()) return false;
  throw Error(Problem::data, fmt::format("{}: expected yes or no, true or false, 1 or 0, found '{}'",
                                         table.where(row, c.name), word));
}

/// A number for every word of a column, the same for the same word.
std::vector<Index> numbered(const Column& c, const std::vector<Index>& rows) {
  std::map<std::string, Index> known;
  std::vector<Index> out;
  out.reserve(rows.size());
  for (const Index r : rows) out.push_back(known.emplace(field(c, r), std::ssize(known)).first->second);
  return out;
}

void read_noise(Places& p, const PlaceArguments& a) {
  if (a.noise.empty()) return;
  if (const std::string column = after(a.noise, "column:"); !column.empty()) {
    p.where.noise = positive(p.table, column, p.rows, "standard deviation").array().square();
    return;
  }
  const std::optional<double> given = number_in(a.noise);
  if (!given || *given < 0)
    throw Error(Problem::usage,
                fmt::format("--noise: expected a variance (0 or more) or column:NAME, found '{}'", a.noise));
  p.where.noise = Vector::Constant(1, *given);
}

void read_properties(Places& p, const PlaceArguments& a) {
  if (!a.forbid.empty())
    for (size_t i = 0; i < p.rows.size(); ++i)
      if (is_yes(p.table, p.table.column(a.forbid), p.rows[i])) p.where.forbidden.push_back(Index(i));
  if (!a.cost.empty()) p.where.cost = positive(p.table, a.cost, p.rows, "cost");
  if (!a.group.empty()) p.where.group = numbered(p.table.column(a.group), p.rows);
  read_noise(p, a);
}

/// A further place.
Index add_place(Places& p, const std::string& name, const Eigen::RowVectorXd& x) {
  const Index i = p.size();
  p.where.names.push_back(name);
  p.x.conservativeResize(i + 1, Eigen::NoChange);
  p.x.row(i) = x;
  return i;
}

/// The place at these coordinates, or -1.
Index place_at(const Places& p, const Eigen::RowVectorXd& x) {
  for (Index i = 0; i < p.size(); ++i)
    if (p.x.row(i) == x) return i;
  return -1;
}

std::vector<Index> places_at(Places& p, const PlaceArguments& a, const std::string& path, const char* what) {
  CsvArguments csv = a.csv;
  csv.labels.clear();
  const Table table = read_csv_file(path, csv_options(csv));
  const std::vector<Index> rows = rows_in_use(table, p.axes, a.missing);
  const Matrix x = encoded(table, p.schema, rows);
  const Column* names = name_column(table, table.find(a.name) ? a.name : "");
  std::vector<Index> out;
  for (Index r = 0; r < x.rows(); ++r) {
    const Index known = place_at(p, x.row(r)), row = rows[static_cast<size_t>(r)];
    out.push_back(known >= 0 ? known
                             : add_place(p, names ? field(*names, row) : fmt::format("{} {}", what, row + 1),
                                         x.row(r)));
  }
  return out;
}

std::vector<std::string> names_of(const PlaceArguments& a, const std::string& list, const std::string& what) {
  if (!std::filesystem::exists(list) && list != "-") return names_in(list);
  CsvArguments csv = a.csv;
  csv.labels.clear();
  const Table table = read_csv_file(list, csv_options(csv));
  const Column* c = name_column(table, table.find(a.name) ? a.name : "");
  if (!c && table.columns.size() == 1) c = &table.columns.front();
  if (!c)
    throw Error(Problem::data, fmt::format("{}: which column of {} holds the names? It has {}; --name says "
                                           "it",
                                           what, table.source, listed(table.names())));
  std::vector<std::string> out;
  for (Index r = 0; r < table.rows(); ++r) out.push_back(field(*c, r));
  return out;
}

/// By name; one that is no candidate may still have a column in the readings.
std::vector<Index> named_places(Places& p, const PlaceArguments& a, const std::string& list,
                                const std::string& what) {
  const std::string& source = a.history.empty() ? a.covariance : a.history;
  std::vector<Index> out;
  for (const std::string& name : names_of(a, list, what)) {
    const auto at = std::find(p.names().begin(), p.names().end(), name);
    const bool elsewhere =
        at == p.names().end() && a.by_name() && p.named && after(source, "columns:").empty();
    out.push_back(elsewhere ? add_place(p, name, Eigen::RowVectorXd::Constant(p.x.cols(), std::nan("")))
                            : place_called(p, name, what));
  }
  return out;
}

/// Where each of `some` is among `kept`; those that are not there are left out.
std::vector<Index> moved(const std::vector<Index>& some, const std::vector<Index>& kept) {
  std::vector<Index> out;
  for (const Index i : some)
    if (const auto at = std::lower_bound(kept.begin(), kept.end(), i); at != kept.end() && *at == i)
      out.push_back(at - kept.begin());
  return out;
}

template <class T>
std::vector<T> picked(const std::vector<T>& all, const std::vector<Index>& kept) {
  std::vector<T> out;
  for (const Index i : kept)
    if (std::cmp_less(i, all.size())) out.push_back(all[static_cast<size_t>(i)]);
  return out;
}

/// Only these places, ascending.
void keep(Places& p, const std::vector<Index>& kept) {
  PlacementProblem& w = p.where;
  p.rows = picked(p.rows, kept), w.names = picked(w.names, kept), w.group = picked(w.group, kept);
  p.x = p.x(kept, Eigen::all).eval();
  w.existing = moved(w.existing, kept), w.forbidden = moved(w.forbidden, kept);
  w.targets = moved(w.targets, kept);
  if (w.cost.size() > 0) w.cost = w.cost(kept).eval();
  if (w.noise.size() > 1) w.noise = w.noise(kept).eval();
  p.history = p.history(Eigen::all, kept).eval();
}

std::vector<Index> others(Places& p, const PlaceArguments& a, const std::string& list, const char* option,
                          const char* what) {
  if (list.empty()) return {};
  if (a.by_name() || !std::filesystem::exists(list)) return named_places(p, a, list, option);
  return places_at(p, a, list, what);
}

/// A place that is no candidate is known by its column in the history: without one its name is mistyped.
void check_others(const Places& p, const PlaceArguments& a, const Readings& history) {
  for (Index i = p.candidates(); i < p.size(); ++i) {
    const std::string& name = p.names()[static_cast<size_t>(i)];
    if (std::count(history.columns.begin(), history.columns.end(), name) > 0) continue;
    const bool exists = std::count(p.where.existing.begin(), p.where.existing.end(), i) > 0;
    const bool is_list = name == (exists ? a.existing : a.targets);  // and so may have been meant as a file
    std::vector<std::string> known(p.names().begin(), p.names().begin() + p.candidates());
    const std::string called = listed(known);
    known.insert(known.end(), history.columns.begin(), history.columns.end());
    throw Error(
        Problem::data,
        fmt::format("{}: '{}' is none of the candidates, no column of {}{}{}; the candidates are "
                    "called {}",
                    exists ? "--existing" : "--targets", name, history.source, is_list ? " and no file" : "",
                    name.size() < 3 ? "" : internal::did_you_mean(name, known), called));
  }
}

}  // namespace

void read_history(Places& p, const PlaceArguments& a, Messages& messages) {
  Readings history = read_readings(a, p, a.history, "--history", 0, messages);
  check_others(p, a, history);
  p.history = std::move(history.values);
  const std::vector<Index> kept = internal::places_with_history(p.history);
  if (std::ssize(kept) == p.size()) return;
  std::vector<std::string> left_out;
  for (Index i = 0; i < p.size(); ++i)
    if (!std::binary_search(kept.begin(), kept.end(), i))
      left_out.push_back(p.names()[static_cast<size_t>(i)]);
  if (kept.empty() || kept.front() >= p.candidates())
    throw Error(Problem::data,
                fmt::format("--history: no candidate has the readings that are needed, at least 2 "
                            "at the times of the others; there are none for {}",
                            listed(left_out)));
  messages.note(fmt::format("{} of {} left out, for lack of readings in the history: {}", left_out.size(),
                            counted(p.size(), "place"), listed(left_out)));
  keep(p, kept);
}

std::string field(const Column& c, Index row) {
  const auto i = static_cast<size_t>(row);
  return c.kind == Column::Kind::text ? c.texts[i] : internal::format_number(c.values[i]);
}

std::string after(const std::string& text, const std::string& prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : "";
}

Index place_called(const Places& p, const std::string& name, const std::string& what) {
  const auto at = std::find(p.names().begin(), p.names().end(), name);
  if (at != p.names().end()) return at - p.names().begin();
  const std::string known = p.named ? fmt::format("they are called {}", listed(p.names()))
                                    : fmt::format("without --name they are called 1 to {}", p.candidates());
  throw Error(Problem::data,
              fmt::format("{}: '{}' is none of the candidates{}; {}", what, name,
                          name.size() < 3 ? "" : internal::did_you_mean(name, p.names()), known));
}

std::vector<Index> listed_places(const PlaceArguments& a, const Places& p, const std::string& list,
                                 const std::string& what) {
  std::vector<Index> out;
  for (const std::string& name : names_of(a, list, what)) out.push_back(place_called(p, name, what));
  return out;
}

Places read_places(const PlaceArguments& a, const Schema& features, Messages& messages) {
  Places p;
  p.where.noise = {};
  p.table = read_table(a.candidates, a.csv, messages);
  const Column* names = name_column(p.table, a.name);
  const std::shared_ptr<const Network> network = network_in(a.graph, a.csv, messages);
  std::vector<TypeRequest> types;
  for (const std::string& t : a.types) types.push_back(parse_type(t));
  for (const std::string& f : features.names()) p.table.column(f);
  p.axes = features.size() > 0 ? features.names() : chosen_axes(a, p.table, names, network, messages);
  p.schema = features.size() > 0 ? features : schema_of(p.table, p.axes, types, network);
  std::vector<std::string> needed = p.axes;
  if (!a.cost.empty()) needed.push_back(a.cost);
  if (names) needed.push_back(names->name);
  p.rows = rows_in_use(p.table, needed, a.missing);
  if (const std::string note = dropped_note(p.table, needed, std::ssize(p.rows)); !note.empty())
    messages.note(note);
  read_names(p, names);
  p.x = encoded(p.table, p.schema, p.rows);
  read_properties(p, a);
  p.where.existing = others(p, a, a.existing, "--existing", "existing");
  const Index before = p.size();
  p.where.targets = others(p, a, a.targets, "--targets", "target");
  for (Index i = before; i < p.size(); ++i) p.where.forbidden.push_back(i);
  internal::extend(p.where, p.size());
  if (a.min_distance > 0 && !p.has_coordinates())
    throw Error(Problem::usage, "--min-distance needs --coordinates");
  p.where.min_distance = a.min_distance, p.where.budget = a.budget;
  if (!p.where.group.empty()) p.where.per_group = a.per_group;
  return p;
}

}  // namespace covary::cli
