#include "learn/periods/periods.h"

#include <algorithm>
#include <cmath>

#include "learn/box.h"

namespace covary {
using namespace internal;
namespace {

/// Periods from low to one and a half times the range, evenly in the logarithm.
std::vector<double> log_periods(const SearchParameter& s, double low, int steps) {
  std::vector<double> all;
  const double top = s.high + std::log(1.6);
  for (int k = 0; k < steps; ++k)
    all.push_back(std::clamp(low + (top - low) * (k + 0.5) / steps, s.lower, s.upper));
  return all;
}

/// From twice the gap of neighbors on.
std::vector<double> all_periods(const SearchParameter& s) { return log_periods(s, s.low, 64); }

/// Around the range, closely: a kernel that repeats only once has many optima there.
std::vector<double> long_periods(const SearchParameter& s) {
  return log_periods(s, s.high + std::log(0.4), 128);
}

/// The length-scales that a season fades with: those in units of the input, in the summand of the period.
std::vector<Index> envelope_of(const Search& search, const SearchParameter& period) {
  std::vector<Index> all;
  for (size_t j = 0; j < search.parameters.size(); ++j)
    if (in_input_units(search, j) && summand(search.parameters[j]) == summand(period))
      all.push_back(Index(j));
  return all;
}

/// t with each of its length-scales of inputs as the gap of neighbors or as the range: a season that lasts,
/// on what changes fast; one that fades, on what changes slowly. None if they are more than four.
std::vector<Vector> short_and_long(const Search& search, const Vector& t) {
  std::vector<Index> which;
  for (size_t i = 0; i < search.parameters.size(); ++i)
    if (in_input_units(search, i)) which.push_back(Index(i));
  std::vector<Vector> all;
  if (which.size() > 4) return all;
  for (size_t chosen = 0; chosen < (size_t{1} << which.size()); ++chosen) {
    all.push_back(t);
    for (size_t k = 0; k < which.size(); ++k) {
      const SearchParameter& s = search.parameters[static_cast<size_t>(which[k])];
      all.back()[which[k]] = (chosen >> k) & 1 ? s.high - std::log(10.0) : s.low + std::log(4.0);
    }
  }
  return all;
}

}  // namespace

std::vector<Sweep> moved_periods(const Search& search, const Basin& best) {
  std::vector<Sweep> all;
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const SearchParameter& s = search.parameters[i];
    if (s.parameter.role != Role::period) continue;
    const std::vector<Index> own = lengthscales_of(search, s), envelope = envelope_of(search, s);
    const auto moved = [&](double by, double shorter, double longer) -> Start {
      Vector t = best.theta;
      t[Index(i)] += by;
      for (const Index j : own) t[j] -= shorter;
      for (const Index j : envelope) t[j] += longer;
      return {best.start + ", period moved", inside(search.parameters, t)};
    };
    const auto add = [&](const std::vector<double>& periods, double shorter, double wider, double lasting) {
      Sweep& sweep = all.emplace_back();
      for (const double to : periods) {
        const double by = to - best.theta[Index(i)];
        sweep.push_back(moved(by, shorter * by, wider * by + lasting));
      }
    };
    for (const double factor : {1.0 / 3, 0.5, 2.0, 3.0}) {
      Sweep& sweep = all.emplace_back();
      for (const double shorter : {0.0, -1.0, -2.0})
        sweep.push_back(moved(std::log(factor), shorter * std::log(factor), 0));
    }
    for (const std::vector<double>& periods : {all_periods(s), long_periods(s)}) {
      add(periods, 0, 0, 0);
      add(periods, 1, 0, 0);
    }
    if (envelope.empty()) continue;
    add(all_periods(s), 1, 1, 0);
    add(all_periods(s), 1, 0, std::log(2.0));
  }
  return all;
}

std::vector<std::vector<Sweep>> period_grids(const Search& search, const Start& at) {
  std::vector<std::vector<Sweep>> all;
  const std::vector<Vector> envelopes = short_and_long(search, at.theta);
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const SearchParameter& s = search.parameters[i];
    if (s.parameter.role != Role::period) continue;
    std::vector<Sweep>* grid = &all.emplace_back();
    const auto add = [&](const Vector& from, const std::vector<double>& periods,
                         std::initializer_list<double> lengthscales) {
      for (const double lengthscale : lengthscales)
        for (const double noise : {1.0, 0.1}) {
          Sweep& sweep = grid->emplace_back();
          for (const double to : periods) {
            Vector t = from;
            t[Index(i)] = to;
            for (const Index j : lengthscales_of(search, s)) t[j] = std::log(lengthscale);
            if (search.parameters.back().is_noise()) t[t.size() - 1] += std::log(noise);
            sweep.push_back({"period grid", inside(search.parameters, t)});
          }
        }
    };
    add(at.theta, all_periods(s), {0.15, 0.4, 1.0});
    add(at.theta, long_periods(s), {0.06, 0.15});
    for (const Vector& from : envelopes) {
      grid = &all.emplace_back();
      add(from, all_periods(s), {1.0});
      for (const double to : s.peaks) add(from, {to}, {0.4, 1.0, 3.0});
    }
  }
  return all;
}

}  // namespace covary
