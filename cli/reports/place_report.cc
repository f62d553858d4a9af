#include "reports/place_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "covary/place/words.h"
#include "json_text.h"
#include "words.h"

namespace covary::cli {
namespace {

Column numbers_column(const std::string& name, std::vector<double> values) {
  Column c{name, Column::Kind::number, std::move(values)};
  for (size_t i = 0; i < c.values.size(); ++i)
    if (std::isnan(c.values[i])) c.missing.push_back(Index(i));
  return c;
}

template <class F>
Column picked(const std::string& name, const PlaceResult& r, F of) {
  std::vector<double> values;
  for (size_t i = 0; i < r.plan.placed.picks.size(); ++i)
    values.push_back(of(r.plan.placed.picks[i], Index(i)));
  return numbers_column(name, std::move(values));
}

bool is_number_axis(const Places& p, size_t k) {
  const ColumnType type = p.schema[Index(k)].type;
  return internal::holds_numbers(type) && !internal::holds_dates(type);
}

/// Rank, name and coordinates.
std::vector<Column> where_columns(const PlaceResult& r, const Places& p) {
  std::vector<Column> out{picked("rank", r, [](const Pick&, Index i) { return double(i + 1); })};
  Column name{"name", Column::Kind::text};
  for (const Pick& pick : r.plan.placed.picks)
    name.texts.push_back(p.names()[static_cast<size_t>(pick.place)]);
  out.push_back(std::move(name));
  for (size_t k = 0; k < p.axes.size(); ++k) {
    if (is_number_axis(p, k)) {
      out.push_back(picked(p.axes[k], r, [&](const Pick& pick, Index) { return p.x(pick.place, Index(k)); }));
      continue;
    }
    Column text{p.axes[k], Column::Kind::text};
    for (const Pick& pick : r.plan.placed.picks)
      text.texts.push_back(p.schema.text(Index(k), p.x(pick.place, Index(k))));
    out.push_back(std::move(text));
  }
  return out;
}

std::vector<Column> worth_columns(const PlaceResult& r, const PlaceArguments& a) {
  std::vector<Column> out{picked("gain", r, [](const Pick& k, Index) { return k.gain; }),
                          picked("value", r, [](const Pick& k, Index) { return k.value; }),
                          picked("share", r, [](const Pick& k, Index) { return k.share(); }),
                          picked("mean_sd", r, [](const Pick& k, Index) { return k.mean_sd; }),
                          picked("largest_sd", r, [](const Pick& k, Index) { return k.largest_sd; })};
  if (!a.cost.empty()) out.push_back(picked("cost", r, [](const Pick& k, Index) { return k.cost; }));
  if (r.plan.scores.empty()) return out;
  const auto after = [](Index i) { return static_cast<size_t>(i + 1); };
  out.push_back(picked("rmse", r, [&](const Pick&, Index i) { return r.plan.scores[after(i)].rmse; }));
  if (!r.plan.by_chance) return out;
  out.push_back(
      picked("random_rmse", r, [&](const Pick&, Index i) { return r.plan.by_chance->mean[i + 1]; }));
  out.push_back(picked("random_5", r, [&](const Pick&, Index i) { return r.plan.by_chance->lower[i + 1]; }));
  out.push_back(picked("random_95", r, [&](const Pick&, Index i) { return r.plan.by_chance->upper[i + 1]; }));
  return out;
}

nlohmann::ordered_json pick_json(const PlaceResult& r, const PlaceArguments& a, const Places& p, size_t i) {
  const Pick& k = r.plan.placed.picks[i];
  nlohmann::ordered_json j{{"rank", i + 1},
                           {"name", p.names()[static_cast<size_t>(k.place)]},
                           {"row", k.place < p.candidates() ? p.rows[static_cast<size_t>(k.place)] + 1 : 0},
                           {"gain", k.gain},
                           {"value", k.value},
                           {"bound", or_null(k.bound)},
                           {"share", or_null(k.share())},
                           {"mean_sd", k.mean_sd},
                           {"largest_sd", k.largest_sd}};
  for (size_t d = 0; d < p.axes.size(); ++d) {
    const double at = p.x(k.place, Index(d));
    j["at"][p.axes[d]] =
        is_number_axis(p, d) ? or_null(at) : nlohmann::ordered_json(p.schema.text(Index(d), at));
  }
  if (!a.cost.empty()) j["cost"] = k.cost;
  if (!r.plan.scores.empty()) {
    const HeldOutScore& s = r.plan.scores[i + 1];
    j["held_out"] = {
        {"rmse", or_null(s.rmse)}, {"inside_95", or_null(s.inside)}, {"worst", or_null(s.worst)}};
  }
  return j;
}

internal::PlacedAbout about(const PlaceResult& r, const PlaceArguments& a, const Places& p) {
  return {r.criterion, r.field, p.candidates(), !a.evaluate.empty(), std::isfinite(a.budget), a.unit};
}

}  // namespace

Vector PlaceResult::errors() const {
  if (!plan.scores.empty()) return internal::rmses(plan.scores);
  Vector out(count() + 1);
  out[0] = plan.placed.mean_sd;
  for (Index i = 1; i <= count(); ++i) out[i] = plan.placed.picks[static_cast<size_t>(i - 1)].mean_sd;
  return out;
}

std::string place_csv(const PlaceResult& r, const PlaceArguments& a, const Places& p) {
  Table table;
  for (const std::vector<Column>& some : {where_columns(r, p), worth_columns(r, a)})
    for (Column c : some) {
      while (table.find(c.name)) c.name += "_2";
      table.columns.push_back(std::move(c));
    }
  std::string out;
  write_csv(out, table, p.table.delimiter, p.table.decimal);
  return out;
}

std::string place_json(const PlaceResult& r, const PlaceArguments& a, const Places& p) {
  nlohmann::ordered_json out{{"criterion", r.criterion->name},
                             {"unit", r.criterion->unit},
                             {"field", r.field},
                             {"candidates", p.candidates()},
                             {"optimal", r.plan.placed.optimal},
                             {"stopped", r.plan.placed.stopped},
                             {"mean_sd_before", r.plan.placed.mean_sd},
                             {"largest_sd_before", r.plan.placed.largest_sd}};
  out["sensors"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < r.plan.placed.picks.size(); ++i) out["sensors"].push_back(pick_json(r, a, p, i));
  if (!r.plan.scores.empty()) out["rmse_before"] = or_null(r.plan.scores[0].rmse);
  if (r.plan.by_chance) {
    nlohmann::ordered_json& j = out["by_chance"];
    j["figure"] = r.plan.scores.empty() ? "mean_sd" : "rmse";
    for (const auto& [name, v] : {std::pair<const char*, const Vector*>{"mean", &r.plan.by_chance->mean},
                                  {"percent_5", &r.plan.by_chance->lower},
                                  {"percent_95", &r.plan.by_chance->upper}})
      for (const double value : *v) j[name].push_back(or_null(value));
  }
  out["notes"] = place_words(r, a, p);
  return json_text(out);
}

std::vector<std::string> place_words(const PlaceResult& r, const PlaceArguments& a, const Places& p) {
  std::vector<std::string> out = r.plan.notes;
  const auto append = [&](const std::vector<std::string>& more) {
    out.insert(out.end(), more.begin(), more.end());
  };
  append(internal::words(r.plan.placed, about(r, a, p)));
  if (r.count() > 0 && !r.plan.scores.empty())
    append(internal::held_out_words(r.plan.scores, r.plan.by_chance ? &*r.plan.by_chance : nullptr, r.times,
                                    a.unit));
  return out;
}

Figure place_curve(const PlaceResult& r, const PlaceArguments& a, const Places& p) {
  Chart c;
  const bool held = !r.plan.scores.empty();
  c.x_label = "sensors",
  c.y_label = held ? "error (rmse) at places without a sensor" : "mean sd that is left";
  if (!a.unit.empty()) c.y_label += fmt::format(" [{}]", a.unit);
  c.counts = true;
  const Vector x = Vector::LinSpaced(r.count() + 1, 0, double(r.count()));
  if (r.plan.by_chance) {
    Index n = 0;  // numbers that sets by chance reached
    while (n < r.plan.by_chance->mean.size() && !std::isnan(r.plan.by_chance->mean[n])) ++n;
    c.bands = {{x.head(n), r.plan.by_chance->lower.head(n), r.plan.by_chance->upper.head(n),
                fmt::format("90 % of those {} sets", r.sets)}};
    c.lines.push_back({x.head(n), r.plan.by_chance->mean.head(n), "mean of sets drawn by chance",
                       Chart::Style::reference, -1});
  }
  c.lines.push_back({x, r.errors(), a.evaluate.empty() ? "these sensors" : "the set that was given"});
  c.points = {{x, r.errors(), ""}};
  c.y_window = Chart::Window{0, 0};
  std::string how = internal::chosen_words(about(r, a, p)) + ".";
  how[0] = a.evaluate.empty() ? 'C' : 'S';
  return {
      fmt::format("What {} {} unknown", counted(r.count(), "sensor"), r.count() == 1 ? "leaves" : "leave"),
      {how},
      {c}};
}

}  // namespace covary::cli
