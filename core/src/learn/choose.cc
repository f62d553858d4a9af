#include "learn/choose.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace covary {
using namespace internal;
namespace {

/// True if two points differ by little of what starts are drawn over, in every parameter.
bool near(const Search& search, const Vector& a, const Vector& b, double period_width) {
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const SearchParameter& s = search.parameters[i];
    const bool period = s.parameter.role == Role::period;
    const double width = period ? period_width : std::max(0.5, s.high - s.low);
    if (std::abs(a[Index(i)] - b[Index(i)]) >= 0.15 * width) return false;
  }
  return true;
}

}  // namespace

void by_value(std::vector<Screened>& all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Screened& a, const Screened& b) { return a.value > b.value; });
}

void add_best(const Search& search, const std::vector<Screened>& screened, int count,
              std::vector<Start>& from, double period_width) {
  for (const Screened& s : screened) {
    if (count == 0) return;
    if (!std::isfinite(s.value)) continue;
    const bool taken = std::any_of(from.begin(), from.end(), [&](const Start& f) {
      return near(search, f.theta, s.start.theta, period_width);
    });
    if (!taken) from.push_back(s.start), --count;
  }
}

std::vector<Screened> peaks(const Task& task, const Ground& on, const std::vector<Sweep>& sweeps) {
  std::vector<Start> flat;
  for (const Sweep& sweep : sweeps) flat.insert(flat.end(), sweep.begin(), sweep.end());
  const std::vector<Screened> valued = screen(task, on, std::move(flat));
  std::vector<Screened> out;
  auto at = valued.begin();
  for (const Sweep& sweep : sweeps) {
    const auto first = at, last = at + std::ssize(sweep);
    for (; at != last; ++at)
      if ((at == first || at->value >= (at - 1)->value) && (at + 1 == last || at->value > (at + 1)->value))
        out.push_back(*at);
  }
  by_value(out);
  return out;
}

void best_first(std::vector<Basin>& basins) {
  std::stable_sort(basins.begin(), basins.end(), [](const Basin& a, const Basin& b) {
    return a.polished != b.polished ? a.polished : a.objective > b.objective;
  });
}

std::vector<Basin> distinct(std::vector<Basin> found) {
  best_first(found);
  std::vector<Basin> out;
  for (Basin& b : found) {
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const Basin& d) { return same_optimum(b, d); });
    if (same == out.end())
      out.push_back(std::move(b));
    else
      same->starts += b.starts, same->evaluations += b.evaluations;
  }
  return out;
}

std::vector<Basin> best_of_each(const Search& search, const std::vector<Basin>& found, int count,
                                double period_width) {
  std::vector<Basin> out;
  std::map<Index, int> taken;
  for (const Basin& b : found) {
    const bool beside = std::any_of(out.begin(), out.end(), [&](const Basin& other) {
      return near(search, other.theta, b.theta, period_width);
    });
    if (!beside && taken[slowest_summand(search, b.theta)]++ < count) out.push_back(b);
  }
  return out;
}

}  // namespace covary
