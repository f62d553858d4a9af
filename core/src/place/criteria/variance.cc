// variance: the largest reduction of the sum of variances.
#include "place/criteria/variance.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "algebra/blas.h"
#include "base/constants.h"
#include "base/simd/simd.h"
#include "covary/base/parallel.h"
#include "covary/base/runtime.h"

namespace covary {
using namespace internal;
namespace placing {

namespace {

Matrix covariances_of(const Field& field, const std::vector<Index>& targets, int threads) {
  if (targets.empty()) return covariance_of(field, threads);
  check_memory(8.0 * double(field.size) * double(targets.size()), "the covariances of the targets");
  Matrix out(std::ssize(targets), field.size);
  for_runs(field.size, threads,
           [&](Range r) { out.middleCols(r.first, r.count) = field.block(r, targets).transpose(); });
  return out;
}

}  // namespace

Variance::Variance(const PlacementProblem& problem, const Field& field, int threads)
    : Criterion(Conditioned(field, noise_of(problem), threads)),
      targets_(problem.targets),
      covariance_(covariances_of(field, targets_, threads)),
      squares_(covariance_.colwise().squaredNorm()),
      left_(everywhere() ? field.diagonal : Vector(field.diagonal(targets_))),
      threads_(threads) {
  for (const Index i : problem.existing) {
    now_.add(i);
    take_off(i, now_.latest());
  }
  start_ = std::make_shared<const Vector>(components());
}

/// One sensor's part: rank one. Rows of places that count as known are 0 and stay so.
void Variance::take_off(Index place, const Vector& column) {
  Vector at = everywhere() ? column : Vector(column(targets_));
  if (everywhere()) {
    covariance_.row(place).setZero();
    for (const Index i : now_.sensors()) at[i] = 0;
    left_[place] = 0;
  }
  left_ = (left_ - at.cwiseAbs2()).cwiseMax(0);
  if (components_.size() > 0) earlier_ = std::exchange(components_, Vector());
  for_each_column(covariance_.cols(), 4 * at.size(), threads_, [&](Index i) {
    squares_[i] =
        simd::loops().subtract_and_square(at.data(), column[i], covariance_.col(i).data(), at.size());
  });
}

void Variance::added(Index place, double) { take_off(place, now_.latest()); }

Vector Variance::computed_gains() const {
  const Vector s = now_.reading_variance();
  Vector out = Vector::Zero(s.size());
  for (Index i = 0; i < s.size(); ++i) {
    const double own = everywhere() ? left_[i] : 0,
                 square = everywhere() ? covariance_(i, i) * covariance_(i, i) : 0;
    if (s[i] > 0) out[i] = std::max(0.0, squares_[i] - square) / s[i];
    out[i] += own;
  }
  return out;
}

const Vector& Variance::components() const {
  constexpr Index affordable = 2000, small = 300;
  const Index m = left_.size();
  if (components_.size() > 0) return components_;
  if (m > affordable) return components_ = Vector::Constant(m, infinity);
  Matrix among = everywhere() ? covariance_ : Matrix(covariance_(Eigen::all, targets_));
  if (everywhere())
    for (const Index i : now_.sensors()) among.col(i).setZero();
  components_ = blas::eigenvalues(among, m < small ? 1 : threads_).reverse().cwiseMax(0);
  for (Index i = 1; i < m; ++i) components_[i] += components_[i - 1];
  return components_;
}

double Variance::most_explained(Index j) const {
  return j == 0 ? 0 : components()[std::min(j, left_.size()) - 1];
}

Vector Variance::components_at_start(const Allowed& start) const {
  const auto sum = [&](Index j) { return j == 0 ? 0 : (*start_)[std::min(j, start_->size()) - 1]; };
  if (start.is_bought())  // so many it buys at most
    return all_of(start, sum(Index(std::floor(start.most(Vector::Ones(now_.size())) + 1e-9))));
  Vector out(start.left());
  for (Index j = 0; j < out.size(); ++j) out[j] = sum(j + 1);
  return out;
}

Vector Variance::most(const Allowed& start) const { return components_at_start(start); }

/// Cheaper ones first: the components of fewer sensors, and sqrt(r sum of squared eigenvalues).
double Variance::most_beyond(const Allowed& rest, double enough) const {
  const Index r = std::min(rest.left(), left_.size());
  if (r == 0) return value();
  if (components_.size() == 0) {
    double loose = std::sqrt(double(r) * squares_.sum());
    if (earlier_.size() > 0) loose = std::min(loose, earlier_[r - 1]);
    if (value() + loose <= enough) return value() + loose;
  }
  return value() + most_explained(r);
}

}  // namespace placing

namespace criterion {

CriterionEntry variance() {
  CriterionEntry e{
      "variance", "sum_t cov(f_t, f_y | A)^2 / var(y | A)",
      "the smallest sum of variances at the targets: the smallest mean squared error", "variance",
      [](const PlacementProblem& p, const Field& f, const CriterionOptions& o) -> std::unique_ptr<Criterion> {
        return std::make_unique<placing::Variance>(p, f, o.threads);
      }};
  e.certificate = placing::variance_certificate;
  return e;
}

}  // namespace criterion
}  // namespace covary
