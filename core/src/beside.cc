#include "beside.h"

#include <array>
#include <cmath>

#include "box.h"

namespace covary {
namespace {

/// Periods from low to one and a half times the range, evenly in the logarithm.
std::vector<double> log_periods(const Searched& s, double low, int steps) {
  std::vector<double> all;
  const double top = s.high + std::log(1.6);
  for (int k = 0; k < steps; ++k)
    all.push_back(std::clamp(low + (top - low) * (k + 0.5) / steps, s.lower, s.upper));
  return all;
}

/// From twice the gap of neighbors on.
std::vector<double> all_periods(const Searched& s) { return log_periods(s, s.low, 64); }

/// Around the range, closely: a kernel that repeats only once has many optima there.
std::vector<double> long_periods(const Searched& s) { return log_periods(s, s.high + std::log(0.4), 128); }

/// The parameters with the path of a period's kernel: its length-scales.
std::vector<Index> lengthscales_of(const Search& search, const Searched& period) {
  std::string path = period.parameter.path;
  if (path.ends_with("period")) path.replace(path.size() - 6, 6, "lengthscale");
  std::vector<Index> all;
  for (size_t j = 0; j < search.parameters.size(); ++j)
    if (search.parameters[j].parameter.path == path) all.push_back(Index(j));
  return all;
}

/// t with each of its length-scales of inputs as the gap of neighbors or as the range: a season that lasts,
/// on what changes fast; one that fades, on what changes slowly. None if they are more than four.
std::vector<Vector> short_and_long(const Search& search, const Vector& t) {
  const std::vector<Index> which = input_lengthscales(search);
  std::vector<Vector> all;
  if (which.size() > 4) return all;
  for (size_t chosen = 0; chosen < (size_t{1} << which.size()); ++chosen) {
    all.push_back(t);
    for (size_t k = 0; k < which.size(); ++k) {
      const Searched& s = search.parameters[static_cast<size_t>(which[k])];
      all.back()[which[k]] = (chosen >> k) & 1 ? s.high - std::log(10.0) : s.low + std::log(4.0);
    }
  }
  return all;
}

}  // namespace

std::vector<Index> input_lengthscales(const Search& search) {
  std::vector<Index> which;
  for (size_t i = 0; i < search.parameters.size(); ++i)
    if (search.parameters[i].parameter.role == Role::lengthscale &&
        search.parameters[i].parameter.column >= 0)
      which.push_back(Index(i));
  return which;
}

std::vector<Start> switched(const Search& search, const Basin& best, Random& rng) {
  const std::vector<Index> which = input_lengthscales(search);
  std::vector<Start> all;
  if (which.size() < 2) return all;
  constexpr std::array<double, 3> factors{0.1, 2.0, 300.0};
  const int tries = int(std::min<Index>(48, 4 * std::ssize(which)));
  for (int k = 0; k < tries; ++k) {
    Start start{best.start + ", switched", best.theta};
    for (int change = 0; change < 2; ++change) {
      const Index i = which[static_cast<size_t>(rng.integer(std::ssize(which)))];
      const Searched& s = search.parameters[static_cast<size_t>(i)];
      start.theta[i] =
          std::clamp(s.reference + std::log(factors[static_cast<size_t>(rng.integer(3))]), s.lower, s.upper);
    }
    all.push_back(std::move(start));
  }
  return all;
}

std::vector<Start> moved_periods(const Search& search, const Basin& best) {
  std::vector<Start> all;
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const Searched& s = search.parameters[i];
    if (s.parameter.role != Role::period) continue;
    std::vector<double> periods = all_periods(s);
    for (const double to : long_periods(s)) periods.push_back(to);
    for (const double to : periods) {
      Vector t = best.theta;
      t[Index(i)] = to;
      all.push_back({best.start + ", period moved", t});
      for (const Index j : lengthscales_of(search, s)) t[j] += best.theta[Index(i)] - to;
      all.push_back({best.start + ", period moved", inside(search.parameters, t)});
    }
  }
  return all;
}

std::vector<Start> period_grid(const Search& search, const Start& at) {
  std::vector<Start> all;
  const std::vector<Vector> envelopes = short_and_long(search, at.theta);
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const Searched& s = search.parameters[i];
    if (s.parameter.role != Role::period) continue;
    const auto add = [&](const Vector& from, double to, double lengthscale) {
      for (const double noise : {1.0, 0.1}) {
        Vector t = from;
        t[Index(i)] = to;
        for (const Index j : lengthscales_of(search, s)) t[j] = std::log(lengthscale);
        if (search.parameters.back().noise) t[t.size() - 1] += std::log(noise);
        all.push_back({"period grid", inside(search.parameters, t)});
      }
    };
    for (const double to : all_periods(s))
      for (const double lengthscale : {0.15, 0.4, 1.0}) add(at.theta, to, lengthscale);
    for (const double to : long_periods(s))
      for (const double lengthscale : {0.06, 0.15}) add(at.theta, to, lengthscale);
    for (const double to : s.peaks)
      for (const double lengthscale : {0.4, 1.0, 3.0})
        for (const Vector& from : envelopes) add(from, to, lengthscale);
  }
  return all;
}

std::vector<Start> one_changed(const Search& search, const Basin& best) {
  std::vector<Start> all;
  const std::vector<Index> which = input_lengthscales(search);
  if (which.size() < 2) return all;
  for (const Index i : which) {
    const Searched& s = search.parameters[static_cast<size_t>(i)];
    const auto add = [&](double factor) {
      all.push_back({best.start + ", one changed", best.theta});
      all.back().theta[i] = std::clamp(s.reference + std::log(factor), s.lower, s.upper);
    };
    if (best.theta[i] > s.reference + std::log(20.0)) {
      for (const double factor : {0.3, 1.0, 3.0}) add(factor);
    } else {
      add(300);
    }
  }
  return all;
}

}  // namespace covary
