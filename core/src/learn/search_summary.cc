#include "learn/search_summary.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/base/parallel.h"
#include "covary/base/random.h"

namespace covary {
using namespace internal;
namespace {

/// Which parameters can be doubled and halved without the objective noticing; judged on at most 500 rows.
std::vector<bool> flat_directions(const Search& search, const FitOptions& options, const Vector& theta) {
  std::vector<bool> flat(search.parameters.size());
  if (flat.size() > 100) return flat;
  std::vector<Index> rows;
  if (search.rows > 500) rows = Random(options.seed).subset(search.rows, 500);
  const Objectives objective = search.objective(rows);
  const double here = objective()->at(theta, false).value;
  const double share = rows.empty() ? 1 : double(search.rows) / 500;
  std::vector<char> hardly(flat.size());
  parallel_for(std::ssize(flat), threads_or_all(options.threads), [&](Index i) {
    const std::unique_ptr<Objective> on = objective();
    double most = 0;
    for (const double way : {-std::log(2.0), std::log(2.0)}) {
      Vector t = theta;
      t[i] += way;
      most = std::max(most, std::abs(here - on->at(t, false).value));
    }
    hardly[static_cast<size_t>(i)] = most * share < 0.05;
  });
  std::copy(hardly.begin(), hardly.end(), flat.begin());
  return flat;
}

/// Active bounds: the optimum lies beyond them, unless the user gave the bound.
void bound_notes(Summary& summary, const Search& search, const FitOptions& options) {
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const FittedParameter& p = summary.parameters[i];
    if (!p.at_lower && !p.at_upper) continue;
    const SearchParameter& s = search.parameters[i];
    const std::string at = fmt::format("{} is at its {} bound {:.3g}", p.name, p.at_lower ? "lower" : "upper",
                                       p.at_lower ? p.lower : p.upper);
    if (options.bounds.contains(p.name) || !std::isnan(s.parameter.lower))
      summary.notes.push_back(at + ", which was given");
    else if (s.is_noise() && p.at_lower)
      summary.notes.push_back(at + ": the data look free of noise");
    else if (s.parameter.role == Role::lengthscale && p.at_upper)
      summary.notes.push_back(at + ": that input has no influence here, or only a linear one");
    else
      summary.notes.push_back(at + ": try a different kernel or wider bounds");
  }
}

/// A number in the expression is one start among others; noted where the optimum is far from it.
std::string given_note(const SearchParameter& s, const std::string& name, double theta) {
  if (!s.given() || std::abs(theta - s.theta(s.parameter.value)) <= std::log(2.0)) return "";
  return fmt::format(
      "{} was given as {:.4g} and is {:.4g} after learning: a number in the expression is only a start; "
      "fixed({:.4g}) in its place keeps it",
      name, s.parameter.value, s.value(theta), s.parameter.value);
}

}  // namespace

void describe(const Search& search, const FitOptions& options, const Vector& theta, Summary& summary) {
  const std::vector<bool> flat = flat_directions(search, options, theta);
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const SearchParameter& s = search.parameters[i];
    const double t = theta[Index(i)];
    summary.parameters.push_back({full_name(s.parameter, options.columns), s.value(t), s.value(s.lower),
                                  s.value(s.upper), false, t <= s.lower + 1e-9, t >= s.upper - 1e-9, flat[i],
                                  s.parameter.role});
    if (std::string note = given_note(s, summary.parameters.back().name, t); !note.empty())
      summary.notes.push_back(std::move(note));
  }
  bound_notes(summary, search, options);
}

}  // namespace covary
