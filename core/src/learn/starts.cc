#include <fmt/format.h>

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>

#include "covary/learn/search.h"
#include "learn/box.h"

namespace covary {
using namespace internal;
namespace {

/// The reference moved by `factor` in every length-scale that was not given, at the prior's mode where it has
/// one.
Vector at_mode(const std::vector<SearchParameter>& all, double factor) {
  Vector t(std::ssize(all));
  for (size_t i = 0; i < all.size(); ++i) {
    const SearchParameter& s = all[i];
    t[Index(i)] = s.start;
    if (!s.given() && s.parameter.role == Role::lengthscale)
      t[Index(i)] =
          (s.prior_sd > 0 ? s.prior_mean - s.prior_sd * s.prior_sd : s.reference) + std::log(factor);
  }
  return t;
}

/// "2.lengthscale.x" -> "lengthscale.x": what a parameter is called wherever its kernel stands.
std::string bare(const std::string& name) {
  const size_t from = name.find_first_not_of("0123456789.");
  return from == std::string::npos ? name : name.substr(from);
}

/// The first start with every parameter that `values` knows, by its name or by its bare name (the k-th of
/// that name for the k-th such parameter).
Vector moved_to(const std::vector<SearchParameter>& all, const FitOptions& options,
                const ParameterValues& values) {
  Vector t(std::ssize(all));
  std::vector<std::string> used;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string name = full_name(all[i].parameter, options.columns);
    t[Index(i)] = all[i].start;
    auto found = values.find(name);
    if (found == values.end())
      found = std::find_if(values.begin(), values.end(), [&](const auto& v) {
        return bare(v.first) == bare(name) && std::find(used.begin(), used.end(), v.first) == used.end();
      });
    if (found == values.end() || !std::isfinite(all[i].theta(found->second))) continue;
    used.push_back(found->first);
    t[Index(i)] = all[i].theta(found->second);
  }
  return t;
}

/// For each parameter the dimension of the sequence it is drawn by: those of one kernel's length-scales
/// share one.
std::vector<Index> dimensions_of(const std::vector<SearchParameter>& all) {
  std::vector<Index> out(all.size());
  Index last = -1;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool same = i > 0 && all[i].parameter.column >= 0 && all[i - 1].parameter.column >= 0 &&
                      all[i].parameter.path == all[i - 1].parameter.path;
    out[i] = same ? last : ++last;
  }
  return out;
}

/// u in [0, 1) -> theta. Half of the draws of a period are peaks of the periodogram, if there are any.
double placed(const SearchParameter& s, double u) {
  const Index peaks = s.peaks.size();
  if (peaks == 0) return s.low + u * (s.high - s.low);
  if (u >= 0.5) return s.low + (2 * u - 1) * (s.high - s.low);
  return s.peaks[std::min(peaks - 1, Index(2 * u * double(peaks)))];
}

}  // namespace

std::vector<Start> internal::known_starts(const std::vector<SearchParameter>& all,
                                          const FitOptions& options) {
  std::vector<Start> list;
  const auto add = [&](std::string name, Vector t) {
    t = inside(all, t);
    for (const Start& s : list)
      if ((s.theta - t).cwiseAbs().maxCoeff() < 1e-6) return;
    list.push_back({std::move(name), std::move(t)});
  };
  Vector first(std::ssize(all));
  for (size_t i = 0; i < all.size(); ++i) first[Index(i)] = all[i].start;
  const bool given = std::any_of(all.begin(), all.end(), [](const SearchParameter& s) { return s.given(); });
  add(given ? "given" : "data", first);
  for (const ParameterValues& values : options.also_from) add("named", moved_to(all, options, values));
  add("prior mode", at_mode(all, 1));
  add("prior mode x 3", at_mode(all, 3));
  add("prior mode x 0.3", at_mode(all, 0.3));
  return list;
}

std::vector<Start> internal::drawn_starts(const std::vector<SearchParameter>& all, int count,
                                          std::uint64_t seed) {
  const std::vector<Index> dimension = dimensions_of(all);
  const auto p = std::max<size_t>(1, dimension.empty() ? 1 : static_cast<size_t>(dimension.back()) + 1);
  const bool sobol = p <= 1000;
  boost::random::sobol engine(sobol ? p : 1);
  engine.discard(p);  // its first point is 0
  Random rng(seed);
  const Vector least = lower(all), most = upper(all);
  std::vector<Start> list;
  for (int k = 1; k <= count; ++k) {
    Vector u(static_cast<Index>(p)), t(std::ssize(all));
    for (double& x : u) x = sobol ? boost::random::uniform_01<double>()(engine) : rng.uniform();
    for (size_t i = 0; i < all.size(); ++i) {
      const SearchParameter& s = all[i];
      const bool shared = (i > 0 && dimension[i] == dimension[i - 1]) ||
                          (i + 1 < all.size() && dimension[i] == dimension[i + 1]);
      t[Index(i)] = placed(s, u[dimension[i]]);
      if (!shared) continue;
      t[Index(i)] += 0.7 * rng.normal();
      if (rng.uniform() < 0.2) t[Index(i)] = s.reference + std::log(300.0);
    }
    list.push_back({fmt::format("sobol {}", k), t.cwiseMax(least).cwiseMin(most)});
  }
  return list;
}

}  // namespace covary
