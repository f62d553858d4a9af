// polynomial and interactions: powers of columns, and products of different ones.
#include <fmt/format.h>

#include <cmath>

#include "basis/item.h"

namespace covary {
namespace {

/// Every choice of 1, ..., degree of 0, ..., d - 1, the small ones first.
std::vector<std::vector<Index>> choices(Index d, Index degree) {
  std::vector<std::vector<Index>> all{{}};
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::ssize(all[i]) == degree) continue;
    for (Index k = all[i].empty() ? 0 : all[i].back() + 1; k < d; ++k) {
      std::vector<Index> longer = all[i];
      longer.push_back(k);
      all.push_back(std::move(longer));
    }
  }
  all.erase(all.begin());
  return all;
}

/// sum_k (d over k), k = 1, ..., degree.
double number_of_choices(Index d, Index degree) {
  double each = 1, sum = 0;
  for (Index k = 1; k <= std::min(d, degree); ++k) {
    each *= double(d - k + 1) / double(k);
    sum += each;
  }
  return sum;
}

}  // namespace

std::vector<FeatureItem> make_polynomial(const MapCall& call) {
  const Index degree = call.whole("degree", 2, 1, 100);
  FeatureItem item;
  item.text = fmt::format("{}degree={})", call.opening(), degree);
  item.columns = call.columns;
  item.size = std::ssize(call.columns) * degree;
  check_number_of_features(double(item.size), item.text);
  for (const std::string& c : call.column_names())
    for (Index j = 1; j <= degree; ++j) item.names.push_back(j == 1 ? c : fmt::format("{}^{}", c, j));
  item.sees = [columns = item.columns, degree](Index j) {
    return std::vector<Index>{columns[static_cast<size_t>(j / degree)]};
  };
  item.fill = [columns = item.columns, degree](const Rows& x, Eigen::Ref<Matrix> phi) {
    Index at = 0;
    for (const Index k : columns)
      for (Index j = 1; j <= degree; ++j, ++at)
        phi.col(at) = x.col(k).unaryExpr([j](double v) { return std::pow(v, double(j)); });
  };
  return {item};
}

std::vector<FeatureItem> make_interactions(const MapCall& call) {
  const Index degree = call.whole("degree", 2, 1, 100), d = std::ssize(call.columns);
  FeatureItem item;
  item.text = fmt::format("{}degree={})", call.opening(), degree);
  check_number_of_features(number_of_choices(d, degree), item.text);
  item.columns = call.columns;
  const std::vector<std::string> names = call.column_names();
  std::vector<std::vector<Index>> products = choices(d, degree);
  for (std::vector<Index>& product : products) {
    std::string name;
    for (Index& k : product) {
      name += (name.empty() ? "" : "*") + names[static_cast<size_t>(k)];
      k = call.columns[static_cast<size_t>(k)];
    }
    item.names.push_back(std::move(name));
  }
  item.size = std::ssize(products);
  const auto shared = std::make_shared<const std::vector<std::vector<Index>>>(std::move(products));
  item.sees = [shared](Index j) { return (*shared)[static_cast<size_t>(j)]; };
  item.fill = [shared](const Rows& x, Eigen::Ref<Matrix> phi) {
    Index at = 0;
    for (const std::vector<Index>& product : *shared) {
      phi.col(at) = x.col(product[0]);
      for (size_t i = 1; i < product.size(); ++i) phi.col(at).array() *= x.col(product[i]).array();
      ++at;
    }
  };
  return {item};
}

}  // namespace covary
