#include "place_report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "words.h"

namespace covary::cli {
namespace {

std::string number_in_words(Index n) {
  static const std::array<const char*, 13> words{"no",    "one",   "two",  "three", "four",   "five",  "six",
                                                 "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  return n < std::ssize(words) ? words[static_cast<size_t>(n)] : std::to_string(n);
}

std::string with_unit(double value, const std::string& unit) {
  return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
}

Column numbers_column(const std::string& name, std::vector<double> values) {
  Column c{name, Column::Kind::number, std::move(values)};
  for (size_t i = 0; i < c.values.size(); ++i)
    if (std::isnan(c.values[i])) c.missing.push_back(Index(i));
  return c;
}

template <class F>
Column picked(const std::string& name, const PlaceResult& r, F of) {
  std::vector<double> values;
  for (size_t i = 0; i < r.placed.picks.size(); ++i) values.push_back(of(r.placed.picks[i], Index(i)));
  return numbers_column(name, std::move(values));
}

/// Rank, name and coordinates.
std::vector<Column> where_columns(const PlaceResult& r, const Places& p) {
  std::vector<Column> out{picked("rank", r, [](const Pick&, Index i) { return double(i + 1); })};
  Column name{"name", Column::Kind::text};
  for (const Pick& pick : r.placed.picks) name.texts.push_back(p.names[static_cast<size_t>(pick.place)]);
  out.push_back(std::move(name));
  for (size_t k = 0; k < p.axes.size(); ++k)
    out.push_back(picked(p.axes[k], r, [&](const Pick& pick, Index) { return p.x(pick.place, Index(k)); }));
  return out;
}

std::vector<Column> worth_columns(const PlaceResult& r, const PlaceArguments& a) {
  std::vector<Column> out{picked("gain", r, [](const Pick& k, Index) { return k.gain; }),
                          picked("value", r, [](const Pick& k, Index) { return k.value; }),
                          picked("share", r, [](const Pick& k, Index) { return k.share(); }),
                          picked("mean_sd", r, [](const Pick& k, Index) { return k.mean_sd; }),
                          picked("largest_sd", r, [](const Pick& k, Index) { return k.largest_sd; })};
  if (!a.cost.empty()) out.push_back(picked("cost", r, [](const Pick& k, Index) { return k.cost; }));
  if (r.scores.empty()) return out;
  const auto after = [](Index i) { return static_cast<size_t>(i + 1); };
  out.push_back(picked("rmse", r, [&](const Pick&, Index i) { return r.scores[after(i)].rmse; }));
  if (!r.by_chance) return out;
  out.push_back(picked("random_rmse", r, [&](const Pick&, Index i) { return r.by_chance->mean[i + 1]; }));
  out.push_back(picked("random_5", r, [&](const Pick&, Index i) { return r.by_chance->lower[i + 1]; }));
  out.push_back(picked("random_95", r, [&](const Pick&, Index i) { return r.by_chance->upper[i + 1]; }));
  return out;
}

nlohmann::ordered_json or_null(double v) {
  return std::isfinite(v) ? nlohmann::ordered_json(v) : nlohmann::ordered_json();
}

nlohmann::ordered_json pick_json(const PlaceResult& r, const PlaceArguments& a, const Places& p, size_t i) {
  const Pick& k = r.placed.picks[i];
  nlohmann::ordered_json j{{"rank", i + 1},
                           {"name", p.names[static_cast<size_t>(k.place)]},
                           {"row", k.place < p.candidates() ? p.rows[static_cast<size_t>(k.place)] + 1 : 0},
                           {"gain", k.gain},
                           {"value", k.value},
                           {"bound", or_null(k.bound)},
                           {"share", or_null(k.share())},
                           {"mean_sd", k.mean_sd},
                           {"largest_sd", k.largest_sd}};
  for (size_t d = 0; d < p.axes.size(); ++d) j["at"][p.axes[d]] = or_null(p.x(k.place, Index(d)));
  if (!a.cost.empty()) j["cost"] = k.cost;
  if (!r.scores.empty()) {
    const HeldOutScore& s = r.scores[i + 1];
    j["held_out"] = {
        {"rmse", or_null(s.rmse)}, {"inside_95", or_null(s.inside)}, {"worst", or_null(s.worst)}};
  }
  return j;
}

/// "at least 76 % of the best possible ten", or that they are the best, or that nothing is known.
std::string share_words(const PlaceResult& r, const PlaceArguments& a) {
  const Pick& last = r.placed.picks.back();
  const bool bought = std::isfinite(a.budget);
  const std::string set = bought ? "set that the budget buys" : number_in_words(r.count());
  if (r.placed.optimal) return fmt::format("proven: no other {} {} worth more", set, bought ? "is" : "are");
  if (r.criterion->baseline) return "";
  if (std::isnan(last.share()))
    return fmt::format("how good the best possible {} would be is not known", set);
  const double percent = std::floor(100 * last.share() + 1e-9);
  return fmt::format("at least {:.0f} % of the best possible {}: none can be worth more than {:.4g}{}",
                     percent, set, last.bound,
                     r.criterion->certificate.empty() ? "" : " (" + r.criterion->certificate + ")");
}

std::string chosen_words(const PlaceResult& r, const PlaceArguments& a) {
  return fmt::format("{} by {} from {}", a.evaluate.empty() ? "chosen" : "scored", r.criterion->name,
                     r.belief);
}

std::string unit_words(const PlaceResult& r, const PlaceArguments& a) {
  if (r.criterion->unit != "variance") return fmt::format("values are in {}", r.criterion->unit);
  return fmt::format("values are variances of the field{}",
                     a.unit.empty() ? "" : ", in " + a.unit + " squared");
}

std::string sd_words(const PlaceResult& r, const PlaceArguments& a) {
  const Pick& last = r.placed.picks.back();
  return fmt::format("what stays unknown: a mean sd of {}, {} before; the largest is {}, {} before",
                     with_unit(last.mean_sd, a.unit), with_unit(r.placed.mean_sd, a.unit),
                     with_unit(last.largest_sd, a.unit), with_unit(r.placed.largest_sd, a.unit));
}

void add_held_out_words(std::vector<std::string>& out, const PlaceResult& r, const PlaceArguments& a) {
  if (r.scores.empty()) return;
  const HeldOutScore& s = r.scores.back();
  if (s.worst_time < 0) {
    out.emplace_back("held out: there is no reading at a place without a sensor to compare with");
    return;
  }
  out.push_back(
      fmt::format("held out: places without a sensor are predicted with an error (rmse) of {}; {:.0f} "
                  "% of their readings lie inside the 95 % interval",
                  with_unit(s.rmse, a.unit), 100 * s.inside));
  if (r.by_chance && !std::isnan(r.by_chance->mean[r.count()]))
    out.push_back(
        fmt::format("sets of as many sensors drawn by chance: {} on average, {:.4g} to {} for 90 % "
                    "of them",
                    with_unit(r.by_chance->mean[r.count()], a.unit), r.by_chance->lower[r.count()],
                    with_unit(r.by_chance->upper[r.count()], a.unit)));
  out.push_back(fmt::format("the error is largest at {}: {}", r.times[static_cast<size_t>(s.worst_time)],
                            with_unit(s.worst, a.unit)));
}

}  // namespace

std::string sensors_in_words(Index n) { return number_in_words(n) + (n == 1 ? " sensor" : " sensors"); }

Vector PlaceResult::errors() const {
  Vector out(count() + 1);
  for (Index i = 0; i <= count(); ++i) {
    if (!scores.empty())
      out[i] = scores[static_cast<size_t>(i)].rmse;
    else
      out[i] = i == 0 ? placed.mean_sd : placed.picks[static_cast<size_t>(i - 1)].mean_sd;
  }
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
  write_csv(out, table, p.table.delimiter);
  return out;
}

std::string place_json(const PlaceResult& r, const PlaceArguments& a, const Places& p) {
  nlohmann::ordered_json out{{"criterion", r.criterion->name},
                             {"unit", r.criterion->unit},
                             {"field", r.belief},
                             {"candidates", p.candidates()},
                             {"optimal", r.placed.optimal},
                             {"stopped", r.placed.stopped},
                             {"mean_sd_before", r.placed.mean_sd},
                             {"largest_sd_before", r.placed.largest_sd}};
  out["sensors"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < r.placed.picks.size(); ++i) out["sensors"].push_back(pick_json(r, a, p, i));
  if (!r.scores.empty()) out["rmse_before"] = or_null(r.scores[0].rmse);
  if (r.by_chance) {
    nlohmann::ordered_json& j = out["by_chance"];
    j["figure"] = r.scores.empty() ? "mean_sd" : "rmse";
    for (const auto& [name, v] : {std::pair<const char*, const Vector*>{"mean", &r.by_chance->mean},
                                  {"percent_5", &r.by_chance->lower},
                                  {"percent_95", &r.by_chance->upper}})
      for (const double value : *v) j[name].push_back(or_null(value));
  }
  out["notes"] = place_words(r, a, p);
  return out.dump(2) + "\n";
}

std::vector<std::string> place_words(const PlaceResult& r, const PlaceArguments& a, const Places& p) {
  std::vector<std::string> out = r.notes;
  out.insert(out.end(), r.placed.notes.begin(), r.placed.notes.end());
  out.push_back(fmt::format("{} among {}, {}; {}", sensors_in_words(r.count()),
                            counted(p.candidates(), "candidate"), chosen_words(r, a), unit_words(r, a)));
  if (!r.placed.stopped.empty())
    out.push_back(fmt::format(
        "{}: {}", r.count() == 0 ? "none was placed" : "stopped after " + number_in_words(r.count()),
        r.placed.stopped));
  if (r.count() == 0) return out;
  if (std::string words = share_words(r, a); !words.empty()) out.push_back(std::move(words));
  out.push_back(sd_words(r, a));
  add_held_out_words(out, r, a);
  return out;
}

Figure place_curve(const PlaceResult& r, const PlaceArguments& a) {
  Chart c;
  const bool held = !r.scores.empty();
  c.x_label = "sensors",
  c.y_label = held ? "error (rmse) at places without a sensor" : "mean sd that is left";
  if (!a.unit.empty()) c.y_label += fmt::format(" [{}]", a.unit);
  c.counts = true;
  const Vector x = Vector::LinSpaced(r.count() + 1, 0, double(r.count()));
  if (r.by_chance) {
    Index n = 0;  // numbers that sets by chance reached
    while (n < r.by_chance->mean.size() && !std::isnan(r.by_chance->mean[n])) ++n;
    c.bands = {{x.head(n), r.by_chance->lower.head(n), r.by_chance->upper.head(n),
                fmt::format("90 % of those {} sets", r.sets)}};
    c.lines.push_back(
        {x.head(n), r.by_chance->mean.head(n), "mean of sets drawn by chance", Chart::Style::reference, -1});
  }
  c.lines.push_back({x, r.errors(), a.evaluate.empty() ? "these sensors" : "the set that was given"});
  c.points = {{x, r.errors(), ""}};
  c.y_window = Chart::Window{0, 0};
  std::string how = chosen_words(r, a) + ".";
  how[0] = a.evaluate.empty() ? 'C' : 'S';
  return {
      fmt::format("What {} {} unknown", counted(r.count(), "sensor"), r.count() == 1 ? "leaves" : "leave"),
      {how},
      {c}};
}

}  // namespace covary::cli
