// Inducing points: the variational approximation of a process by its values at m of the inputs [titsias2009].
//
// With K = k(Z, Z) = L L', A = L^-1 k(Z, X), S = diag(noise) and B = I + A S^-1 A' (m x m):
//
//   Q = k(X, Z) K^-1 k(Z, X) = A'A
//   bound  log N(y; m, Q + S) - 1/2 sum_i (k_ii - q_ii) / s_i  <=  log p(y)
//   mean of f at x:  a'w,  a = L^-1 k(Z, x),  w = B^-1 A S^-1 (y - m)
//   variance:        k(x, x) - a'a + a'B^-1 a
//
// The log evidence of such a posterior is the bound. Z are rows of the data, chosen by pivoted columns of the
// covariance: with all rows among them nothing is approximate. n m^2 flops, in blocks of rows: m^2 doubles
// and those of one block.
#pragma once
#include <optional>

#include "covary/algebra/pivoted_columns.h"
#include "covary/inference/evidence.h"
#include "covary/inference/inference.h"

namespace covary {

/// The kernel between inducing points Z (m) and points X (n), as the algebra sees it.
struct LowRank {
  Index points = 0, size = 0;                                     // m, n
  std::function<Matrix()> inducing;                               // m x m: k(Z, Z)
  std::function<Matrix(Range)> cross;                             // m x r: k(Z, X_r)
  std::function<Vector(Range)> diagonal;                          // r: k(x_i, x_i)
  std::function<Vector(const Matrix&)> pullback_inducing;         // sum w_ij dk(Z, Z)_ij/dtheta
  std::function<Vector(Range, const Matrix&)> pullback_cross;     // sum w_ij dk(Z, X_r)_ij/dtheta
  std::function<Vector(Range, const Vector&)> pullback_diagonal;  // sum w_i dk(x_i, x_i)/dtheta
};

template <class X>
LowRank low_rank(const Kernel<X>& k, Batch<X> z, Batch<X> x) {
  return {count(z),
          count(x),
          [k, z] { return k.cross(z, z); },
          [k, z, x](Range r) { return k.cross(z, slice(x, r)); },
          [k, x](Range r) { return k.diag(slice(x, r)); },
          [k, z](const Matrix& w) { return k.pullback(z, z, w); },
          [k, z, x](Range r, const Matrix& w) { return k.pullback(z, slice(x, r), w); },
          [k, x](Range r, const Vector& w) { return k.pullback_diag(slice(x, r), w); }};
}

/// What the bound and the posterior are made of.
struct InducingSolution {
  Matrix l;                                     // m x m lower: K + jitter = L L'
  Matrix lb;                                    // m x m lower: B = L_B L_B'
  Factor of_inducing, of_rows;                  // the same two, of a posterior
  Vector w, alpha;                              // m: alpha = L'^-1 w
  Matrix half_basis;                            // m x p: L_B^-1 A S^-1 F
  Vector half_targets;                          // m: L_B^-1 A S^-1 y
  std::vector<Index> kept;                      // p: columns of the basis that do not depend on others
  Matrix r;                                     // p x p upper: F'(Q + S)^-1 F = R'R
  Vector beta;                                  // p
  double bound = 0, misfit = 0, shortfall = 0;  // shortfall: sum_i (k_ii - q_ii)/s_i, of the trace term
  double jitter = 0;
};

/// Observations (n) less the known part of the trend, their noise variances (n, positive) and the basis
/// (n x p). Nothing where K or B is not positive definite.
std::optional<InducingSolution> solve_inducing(const LowRank& k, const Vector& y, const Vector& noise,
                                               const Matrix& basis, int threads);

/// The bound and, if asked for, its slopes: in theta of the kernel, then in the logarithm of a common factor of
/// the noise.
struct BoundSlopes {
  double value = -std::numeric_limits<double>::infinity(), misfit = 0;
  Vector kernel;
  double log_noise = 0;
};
BoundSlopes inducing_bound(const LowRank& k, const Vector& y, const Vector& noise, const Matrix& basis,
                           bool slopes, int threads);

/// Means and variances from k(Z, at) (m x q), k(at, at) (q) and the basis there (q x p).
Marginals predict(const InducingSolution& s, const Matrix& cross, const Vector& prior, const Matrix& basis);
Vector predict_mean(const InducingSolution& s, const Matrix& cross, const Matrix& basis);
Gaussian predict_joint(const InducingSolution& s, const Matrix& cross, Matrix prior, const Matrix& basis,
                       const Vector& known, int threads);
/// Each observation from the others, the inducing points kept.
LeaveOneOut leave_one_out(const InducingSolution& s, const LowRank& k, const Merged& merged,
                          const Matrix& basis, const Vector& y, const Vector& variances, int threads);

/// Throws Problem::usage unless every variance is positive.
void check_inducing_noise(const Vector& variances);

/// m of the rows of x by pivoted columns of their covariance; from at most 20 m of the rows where there are more.
template <class X>
std::vector<Index> inducing_rows(const Kernel<X>& kernel, Batch<X> x, Index m, int threads) {
  const Index n = count(x), looked_at = std::min(n, std::max<Index>(20 * m, 4000));
  std::vector<Index> rows = looked_at < n ? Random(1).subset(n, looked_at) : all_indices(n);
  const Points<X> some = pick(x, rows);
  const Batch<X> at(some);
  const PivotedColumns chosen = pivoted_columns({looked_at, kernel.diag(at),
                                                 [&](Range r, const std::vector<Index>& c) {
                                                   return kernel.cross(slice(at, r), Batch<X>(pick(at, c)));
                                                 }},
                                                m, 1e-10, threads);
  std::vector<Index> out;
  for (const Index i : chosen.rows) out.push_back(rows[static_cast<size_t>(i)]);
  return out;
}

/// The bound as a function of theta. The inducing points are chosen once, for the theta of the first
/// evaluation.
template <class X>
class InducingBound final : public Objective {
 public:
  InducingBound(const Process<X>& prior, Batch<X> x, const Vector& y, Index points) {
    const Noise& noise = prior.noise();
    Data d{prior.kernel(), {}, points, noise.kind == Noise::Kind::learned, {}, {}};
    const Vector variances = d.learn_noise ? Vector(Vector::Ones(y.size())) : noise.variances(y.size());
    check_inducing_noise(variances);
    d.merged = merge(first_alike(x), y - prior.trend().known_at(x), variances);
    d.x = pick(x, d.merged.rows);
    d.basis = prior.trend().centred_on(Batch<X>(d.x)).basis_at(Batch<X>(d.x));
    data_ = std::make_shared<const Data>(std::move(d));
  }

  Evaluation at(const Vector& theta, bool gradient = true, int threads = 1) override {
    const Data& d = *data_;
    const Index p = d.kernel.theta().size();
    const double variance = d.learn_noise ? std::exp(theta[p]) : 1;
    const Kernel<X> kernel = d.kernel.with(theta.head(p));
    const Batch<X> x(d.x);
    if (!z_) z_ = pick(x, inducing_rows<X>(kernel, x, d.points, threads));
    const BoundSlopes s = inducing_bound(low_rank<X>(kernel, Batch<X>(*z_), x), d.merged.y,
                                         variance * d.merged.noise, d.basis, gradient, threads);
    const Merged& m = d.merged;
    Evaluation out{s.value + (d.learn_noise ? m.constant_at(variance) : m.constant), s.kernel, 0};
    out.misfit = s.misfit + (d.learn_noise ? m.within / variance : 0);
    if (gradient && d.learn_noise && s.kernel.size() == p)
      out.gradient = concat(
          s.kernel, Vector::Constant(1, s.log_noise + 0.5 * (m.within / variance - double(m.merged()))));
    return std::isfinite(out.value) && out.gradient.allFinite() ? out : Evaluation{};
  }

 private:
  struct Data {
    Kernel<X> kernel;
    Points<X> x;  // distinct inputs
    Index points;
    bool learn_noise;
    Merged merged;
    Matrix basis;
  };
  std::shared_ptr<const Data> data_;
  std::optional<Points<X>> z_;  // the inducing points
};

template <class X>
class InducingPosterior {
 public:
  InducingPosterior(const Kernel<X>& kernel, const Mean<X>& mean, Batch<X> x, const Vector& y,
                    const Vector& variances, Index points, int threads);

  Vector mean(Batch<X> at, int threads) const;
  Marginals marginals(Batch<X> at, int threads) const;
  Gaussian joint(Batch<X> at, int threads) const;
  double log_evidence() const { return data_->solution.bound + data_->merged.constant; }
  InferenceReport report() const;
  LeaveOneOut leave_one_out(int threads) const;
  TrendEstimate trend() const;
  /// Computed anew: n m^2 flops.
  InducingPosterior extended(Batch<X> x, const Vector& y, const Vector& variances, int threads) const {
    return {data_->kernel,
            data_->given_mean,
            join(Batch<X>(data_->x), x),
            concat(data_->y, y),
            concat(data_->variances, variances),
            data_->points,
            threads};
  }
  typename Posterior<X>::Function pathwise(const typename Posterior<X>::Function& draw, Random& rng) const;
  const Mean<X>& basis_mean() const { return data_->mean; }

 private:
  struct Data {
    Kernel<X> kernel;
    Mean<X> given_mean, mean;
    Points<X> x;  // n
    Vector y, variances;
    Index points;
    Merged merged;
    Points<X> distinct, z;
    InducingSolution solution;
  };
  Matrix cross(Batch<X> at) const { return data_->kernel.cross(Batch<X>(data_->z), at); }
  Matrix basis(Batch<X> at) const { return data_->mean.basis_at(at); }
  std::shared_ptr<const Data> data_;
};

struct Inducing {
  Index points = 512;
  std::string text() const { return "inducing(points=" + std::to_string(points) + ")"; }

  template <class X>
  Posterior<X> condition(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                         int threads) const {
    return InducingPosterior<X>(prior.kernel(), prior.trend(), x, y, variances, points, threads);
  }

  template <class X>
  Objectives objective(const Process<X>& prior, Batch<X> x, const Vector& y, ObjectiveKind kind) const {
    if (kind != ObjectiveKind::evidence)
      throw Error(Problem::usage,
                  "inference " + text() + " maximizes the evidence, not leave-one-out: use exact()");
    if (count(x) <= points) {  // the same, sooner
      const Evidence<X> e(prior.kernel(), prior.trend(), prior.noise(), x, y, kind);
      return [e] { return std::make_unique<Evidence<X>>(e); };
    }
    const InducingBound<X> bound(prior, x, y, points);
    return [bound] { return std::make_unique<InducingBound<X>>(bound); };
  }

  InferenceCost cost(Index n, Index d) const {
    const double rows = double(n), m = double(std::min(n, points));
    return {2 * rows * m * m + 10 * double(d) * rows * m, 8 * (6 * m * m + 4096 * m)};
  }
};

template <class X>
InferenceEntry<X> inducing_entry() {
  return {"inducing",
          "variational approximation by the values at so many of the rows; smooth functions of many rows",
          "n m^2 flops, m^2 doubles",
          {"points"},
          [](const Arguments& a) -> Inference<X> { return Inducing{a.integer("points", 512, 1, 20000)}; }};
}

}  // namespace covary

#include "covary/inference/inducing_impl.h"
