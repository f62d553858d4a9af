// C_ij = w_i.w_j / sqrt((1 + |w_i|^2)(1 + |w_j|^2)) of different levels i and j, and 1 of equal ones.
#include <fmt/format.h>

#include <numbers>

#include "covary/kernels/categories/categories.h"
#include "covary/kernels/registry.h"
#include "kernels/categories/codes.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index most_pair_levels = 500;

struct CategoryPairs {
  int rank;
  Index levels;     // 0: not known yet
  Vector loadings;  // rank * levels: w_0, w_1, ...; one NaN while the levels are not known

  // 2 rank flops for each entry
  Matrix cross(Rows a, Rows b) const {
    const std::vector<Index> i_of = codes(a), j_of = codes(b);
    const Matrix v = directions();
    Matrix k(a.rows(), b.rows());
    for (Index j = 0; j < b.rows(); ++j)
      for (Index i = 0; i < a.rows(); ++i) k(i, j) = correlation(v, i_of[size_t(i)], j_of[size_t(j)]);
    return k;
  }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  // C_st = v_s.v_t, v = w/n, n = sqrt(1 + |w|^2). With G_s = sum of weight * v_t over all entries of s and another
  // level t, the derivative in w_s is (G_s - v_s (v_s.G_s))/n_s
  Vector pullback(Rows a, Rows b, const Matrix& w) const {
    const std::vector<Index> i_of = codes(a), j_of = codes(b);
    const Matrix v = directions();
    Matrix g = Matrix::Zero(rank, levels);
    for (Index j = 0; j < b.rows(); ++j)
      for (Index i = 0; i < a.rows(); ++i) {
        const Index s = i_of[size_t(i)], t = j_of[size_t(j)];
        if (s == t || s >= levels || t >= levels) continue;
        for (Index r = 0; r < rank; ++r) g(r, s) += w(i, j) * v(r, t), g(r, t) += w(i, j) * v(r, s);
      }
    for (Index s = 0; s < levels; ++s) {
      const double n = std::sqrt(1 + loading(s).squaredNorm());
      g.col(s) = (g.col(s) - v.col(s) * v.col(s).dot(g.col(s))).eval() / n;
    }
    return g.reshaped();
  }
  Matrix pullback_inputs(Rows a, Rows, const Matrix&) const { return Matrix::Zero(a.rows(), a.cols()); }
  Vector theta() const { return loadings; }
  CategoryPairs with(const Vector& t) const { return {rank, levels, t}; }
  Expression node() const {
    std::vector<Argument> first{{"rank", {double(rank)}}};
    if (levels > 0) first.push_back({"levels", {double(levels)}});
    return call_node("category_pairs", parameters(), std::move(first));
  }
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all(static_cast<size_t>(loadings.size()), {"loadings"});
    for (size_t i = 0; i < all.size(); ++i)
      all[i].scale = Scale::identity, all[i].value = loadings[Index(i)], all[i].item = levels ? Index(i) : -1;
    return all;
  }
  CategoryPairs sized(Rows x) const {
    if (levels > 0) return *this;
    const Index n = levels_of("category_pairs", x, most_pair_levels);
    return {rank, n, Vector::Constant(rank * n, std::numeric_limits<double>::quiet_NaN())};
  }
  /// First loadings of 1, so that all correlations are about 1/2; the others are cosines, small and different:
  /// where they are 0 for all levels, so is the derivative.
  Vector start(Rows, double) const {
    Matrix w(rank, levels);
    for (Index s = 0; s < levels; ++s)
      for (Index r = 0; r < rank; ++r) {
        const double wave = levels > 1 ? double((r - 1) % (levels - 1) + 1) : 0.5;
        w(r, s) = r == 0 ? 1 : 0.3 * std::cos(std::numbers::pi * wave * (double(s) + 0.5) / double(levels));
      }
    return levels > 0 ? Vector(w.reshaped()) : Vector::Zero(loadings.size());
  }
  // phi_m = (v_i.u_m + sqrt(1 - |v_i|^2) e_m(code)) / sqrt(M), all of u and e standard normal
  FeatureMap<Row> features(Random& rng, Index m) const {
    return {m, [this_ = *this, seed = rng.fork(), m](Rows x) -> Matrix {
              const std::vector<Index> codes = this_.codes(x);
              const Matrix v = this_.directions();
              Matrix phi(x.rows(), m);
              for (Index i = 0; i < x.rows(); ++i) {
                const Index s = codes[size_t(i)];
                double own = 1;
                Vector z = Vector::Zero(m);
                for (Index r = 0; s < this_.levels && r < this_.rank; ++r)
                  z += v(r, s) * code_draws(seed, -2 - r, m), own -= v(r, s) * v(r, s);
                phi.row(i) = (z + std::sqrt(own) * code_draws(seed, s, m)) / std::sqrt(double(m));
              }
              return phi;
            }};
  }

 private:
  std::vector<Index> codes(Rows x) const {
    check_given(parameters());
    return codes_of("category_pairs", x);
  }
  Vector loading(Index s) const { return loadings.segment(s * rank, rank); }
  /// rank x levels: v_i = w_i/sqrt(1 + |w_i|^2).
  Matrix directions() const {
    Matrix v(rank, levels);
    for (Index s = 0; s < levels; ++s) v.col(s) = loading(s) / std::sqrt(1 + loading(s).squaredNorm());
    return v;
  }
  double correlation(const Matrix& v, Index s, Index t) const {
    if (s == t) return 1;
    if (s >= levels || t >= levels) return 0;
    double sum = 0;
    for (Index r = 0; r < rank; ++r) sum += v(r, s) * v(r, t);
    return sum;
  }
};

/// levels 0: as many as the loadings are for.
Kernel<Row> checked_pairs(int rank, Index levels, Vector loadings) {
  check_range("category_pairs", "rank", rank, 1, most_pair_levels);
  if (loadings.size() == 0)
    return CategoryPairs{
        rank, levels, Vector::Constant(levels ? rank * levels : 1, std::numeric_limits<double>::quiet_NaN())};
  if (levels == 0) levels = std::max<Index>(1, loadings.size() / rank);
  if (loadings.size() != rank * levels)
    throw Error(Problem::usage, fmt::format("category_pairs: {} levels of rank {} have {} loadings, found {}",
                                            levels, rank, rank * levels, loadings.size()));
  for (const double w : loadings) check_range("category_pairs", "loadings", w, -1e100, 1e100);
  return CategoryPairs{rank, levels, std::move(loadings)};
}

}  // namespace

Kernel<Row> category_pairs(int rank, Vector loadings) { return checked_pairs(rank, 0, std::move(loadings)); }

namespace entries {

Entry<Row> category_pairs() {
  return {"category_pairs",
          "correlations of W W' + I",
          "categories, some of them more alike than others",
          {"rank", "levels", "loadings"},
          [](const Arguments& a) {
            return checked_pairs(a.integer("rank", 2, 1, most_pair_levels),
                                 a.integer("levels", 0, 1, most_pair_levels), a.vector("loadings"));
          },
          1,
          Nature::other,
          Reads::categories,
          {"rank", "levels"}};
}

}  // namespace entries
}  // namespace covary
