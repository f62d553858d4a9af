// variance: what lowers the sum of variances most.
#include "place/variance.h"

#include <fmt/format.h>

#include <cmath>

#include "blas.h"
#include "covary/machine.h"
#include "covary/select/pool.h"
#include "simd/simd.h"

namespace covary {
namespace placing {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

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
      left_(everywhere() ? field.variance : Vector(field.variance(targets_))),
      threads_(threads) {
  for (const Index i : problem.existing) {
    now_.add(i);
    take_off(i, now_.latest());
  }
  start_ = std::make_shared<const Vector>(largest_components(left_.size()));
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
  constexpr Index run = 64;
  const Index n = covariance_.cols();
  parallel_for((n + run - 1) / run, threads_, [&](Index b) {
    for (Index i = b * run; i < std::min(n, (b + 1) * run); ++i)
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

Vector Variance::largest_components(Index j) const {
  constexpr Index affordable = 2000;
  const Index m = left_.size();
  if (m > affordable) return Vector::Constant(j, unknown);
  Matrix among = everywhere() ? covariance_ : Matrix(covariance_(Eigen::all, targets_));
  if (everywhere())
    for (const Index i : now_.sensors()) among.col(i).setZero();
  const Vector ascending = blas::eigenvalues(among, threads_or_all(threads_));
  Vector out(j);
  double sum = 0;
  for (Index i = 0; i < j; ++i) out[i] = sum += i < m ? std::max(0.0, ascending[m - 1 - i]) : 0;
  return out;
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

double Variance::most_beyond(const Allowed& rest) const {
  if (rest.left() == 0) return value();
  return value() + largest_components(rest.left())[rest.left() - 1];
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
