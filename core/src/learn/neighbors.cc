#include "learn/neighbors.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "learn/box.h"

namespace covary {
using namespace internal;
namespace {

/// The length-scales of inputs in a summand.
struct Extent {
  std::string summand;
  std::vector<Index> lengthscales;
};

std::vector<Extent> extents(const Search& search) {
  std::vector<Extent> all;
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const SearchParameter& s = search.parameters[i];
    if (s.is_noise()) continue;
    if (all.empty() || all.back().summand != summand(s)) all.push_back({summand(s), {}});
    if (in_input_units(search, i)) all.back().lengthscales.push_back(Index(i));
  }
  return all;
}

}  // namespace

std::vector<Index> lengthscales_of(const Search& search, const SearchParameter& period) {
  std::string path = period.parameter.path;
  if (path.ends_with("period")) path.replace(path.size() - 6, 6, "lengthscale");
  std::vector<Index> all;
  for (size_t j = 0; j < search.parameters.size(); ++j)
    if (search.parameters[j].parameter.path == path) all.push_back(Index(j));
  return all;
}

bool in_input_units(const Search& search, size_t i) {
  if (search.parameters[i].parameter.role != Role::lengthscale) return false;
  return std::none_of(search.parameters.begin(), search.parameters.end(), [&](const SearchParameter& s) {
    if (s.parameter.role != Role::period) return false;
    const std::vector<Index> own = lengthscales_of(search, s);
    return std::find(own.begin(), own.end(), Index(i)) != own.end();
  });
}

std::string summand(const SearchParameter& s) {
  const std::string& path = s.parameter.path;
  return path.substr(0, path.find('.'));
}

std::vector<Index> input_lengthscales(const Search& search) {
  std::vector<Index> which;
  for (size_t i = 0; i < search.parameters.size(); ++i)
    if (of_input(search.parameters[i])) which.push_back(Index(i));
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
      const SearchParameter& s = search.parameters[static_cast<size_t>(i)];
      start.theta[i] =
          std::clamp(s.reference + std::log(factors[static_cast<size_t>(rng.integer(3))]), s.lower, s.upper);
    }
    all.push_back(std::move(start));
  }
  return all;
}

Index slowest_summand(const Search& search, const Vector& t) {
  double longest = -std::numeric_limits<double>::infinity();
  Index slowest = 0;
  const std::vector<Extent> all = extents(search);
  for (size_t k = 0; k < all.size(); ++k) {
    if (all[k].lengthscales.empty()) continue;
    double mean = 0;
    for (const Index i : all[k].lengthscales) mean += t[i] / double(all[k].lengthscales.size());
    if (mean > longest) longest = mean, slowest = Index(k);
  }
  return slowest;
}

std::vector<Start> one_changed(const Search& search, const Basin& best) {
  std::vector<Start> all;
  const std::vector<Index> which = input_lengthscales(search);
  if (which.size() < 2) return all;
  for (const Index i : which) {
    const SearchParameter& s = search.parameters[static_cast<size_t>(i)];
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
