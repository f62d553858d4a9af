// local-mutual-information: mutual information by the nearest places of each, for fields of 10^5 places [krause2008].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algebra/blas.h"
#include "place/neighborhoods.h"
#include "place/shared.h"

namespace covary {
using namespace internal;
namespace {

using placing::Neighborhoods;

/// With readings y_A = f_A + noise and R the places without a sensor, y left out,
///   F(A + y) - F(A) = I(y_y; f_R | y_A) - I(y_A; f_y | f_R) = log((v + d)/(w + d) w/u) / 2
///   v = var(f_y | y_A),  u = var(f_y | f_R),  w = var(f_y | f_R, y_A),  d the noise of a sensor at y.
/// v is exact. u and w condition on the neighbors N of y alone, so both are too large by at most |c|^2 / own,
/// c = cov(f_y, f elsewhere | f_N), where `own` is what each place has for itself.
class LocalMutualInformation final : public Criterion {
 public:
  LocalMutualInformation(const PlacementProblem& problem, Conditioned now,
                         std::shared_ptr<const Neighborhoods> near, int threads)
      : Criterion(std::move(now)),
        near_(std::move(near)),
        holders_(std::make_shared<const std::vector<std::vector<Index>>>(near_->holders())),
        threads_(threads),
        noise_(now_.noise()),
        known_(static_cast<size_t>(now_.size()), 0),
        least_(now_.size()),
        rest_(now_.size()),
        all_(now_.size()) {
    placing::for_each_column(now_.size(), 1 << 16, threads_, [&](Index y) { begin(y); });
    bounded_ = (least_.array() > 0 || now_.field().diagonal.array() == 0).all();
    for (const Index i : problem.existing) {
      now_.add(i);
      added(i, 1);
    }
    ceiling_ = slack_ = 0;
  }
  std::unique_ptr<Criterion> clone() const override {
    return std::make_unique<LocalMutualInformation>(*this);
  }

  /// As mutual-information has it: F(B) <= G(B) = H(y_B) - sum_b log(2 pi e (l_b + d_b)) / 2, with a lower bound l
  /// of var(f_b | f elsewhere).
  Vector most(const Allowed& start) const override {
    if (!bounded()) return placing::all_of(start, std::numeric_limits<double>::infinity());
    return start.most_by_number(ceilings()).array() + ceiling_;
  }
  double most_beyond(const Allowed& rest, double) const override {
    return bounded() ? ceiling_ + rest.most(ceilings()) : std::numeric_limits<double>::infinity();
  }
  std::vector<std::string> notes() const override {
    const double left = near_->left_out.maxCoeff();
    size_t largest = 0;
    for (const auto& of : near_->of) largest = std::max(largest, of.size());
    const std::string which =
        left > 0
            ? fmt::format(
                  "each place is compared with the {} that covary most with it; the largest covariance left "
                  "out is {:.2g} of a variance",
                  largest, left / now_.field().diagonal.maxCoeff())
            : fmt::format("each place is compared with all that covary with it, {} at most", largest);
    if (!bounded()) return {which + "; how much that changes is not bounded without a nugget"};
    return {fmt::format("{}; the value is right to {:.2g} nats, proven{}", which, slack_,
                        slack_ > 0.05 * value()
                            ? " (more neighbors, a larger nugget or a kernel with a shorter reach, such "
                              "as wendland(), lower that)"
                            : "")};
  }

 private:
  bool bounded() const { return bounded_; }

  /// Without a sensor: u = w, and how much smaller both may be.
  void begin(Index y) {
    const std::vector<Index>& near = near_->of[static_cast<size_t>(y)];
    const Field& field = now_.field();
    const double own = field.own, variance = field.diagonal[y];
    Matrix k = among(field, near, near), weights = among(field, near, {y});
    const Vector cross = weights;
    if (blas::cholesky(k, 1) != 0) refuse(y);
    blas::solve_lower(k, weights, 1);
    blas::solve_lower_transposed(k, weights, 1);
    rest_[y] = all_[y] = checked(y, variance - weights.col(0).dot(cross));
    const double square = beyond(y, near, weights);
    least_[y] = square == 0 ? rest_[y] : own > 0 ? std::max(own, rest_[y] - square / own) : 0;
  }

  /// |c|^2: over the neighbors of neighbors as they are; over the n others |c_z| <= left out of y + sum_j |b_j| left
  /// out of j, b = K_NN^-1 K_Ny.
  double beyond(Index y, const std::vector<Index>& near, const Matrix& weights) const {
    std::vector<Index> ring;
    for (const Index z : near) {
      const std::vector<Index>& more = near_->of[static_cast<size_t>(z)];
      ring.insert(ring.end(), more.begin(), more.end());
    }
    std::sort(ring.begin(), ring.end());
    ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
    std::erase_if(ring, [&](Index z) { return z == y || std::binary_search(near.begin(), near.end(), z); });
    double square = 0, far = near_->left_out[y];
    if (!ring.empty() && !near.empty()) {
      const Matrix c = among(now_.field(), ring, {y}) - among(now_.field(), ring, near) * weights;
      square = c.squaredNorm();
    }
    for (size_t j = 0; j < near.size(); ++j) far += std::abs(weights(Index(j), 0)) * near_->left_out[near[j]];
    return square + double(now_.size()) * far * far;
  }

  /// u and w of y again, of whose neighbors one has a new sensor.
  void refresh(Index y) {
    const std::vector<Index>& near = near_->of[static_cast<size_t>(y)];
    const Field& field = now_.field();
    const double variance = field.diagonal[y];
    Matrix k = among(field, near, near);
    const Matrix cross = among(field, near, {y});
    std::vector<Index> free;  // positions of those without a sensor
    for (size_t j = 0; j < near.size(); ++j) {
      const auto z = static_cast<size_t>(near[j]);
      if (known_[z])
        k(Index(j), Index(j)) += noise_[near[j]];
      else
        free.push_back(Index(j));
    }
    rest_[y] = left(y, k(free, free), cross(free, Eigen::all), variance);
    all_[y] = left(y, std::move(k), cross, variance);
  }
  double left(Index y, Matrix k, Matrix cross, double variance) const {
    if (blas::cholesky(k, 1) != 0) refuse(y);
    blas::solve_lower(k, cross, 1);
    return checked(y, variance - cross.squaredNorm());
  }

  double checked(Index y, double variance) const {
    const double prior = now_.field().diagonal[y];
    if (prior > 0 && !(variance > 1e-12 * prior)) refuse(y);
    return variance;
  }
  [[noreturn]] static void refuse(Index y) {
    throw Error(
        Problem::numerical,
        fmt::format("the field at place {} is known from its neighbors to rounding: local-mutual-information "
                    "needs a nugget, a variance of its own at each place",
                    y + 1));
  }

  Vector computed_gains() const override {
    const Vector s = now_.reading_variance();
    Vector out(s.size());
    for (Index i = 0; i < s.size(); ++i) {
      out[i] = 0.5 * std::log(s[i] / (all_[i] + noise_[i]) * all_[i] / rest_[i]);
      if (std::isnan(out[i])) out[i] = -std::numeric_limits<double>::infinity();
    }
    return out;
  }

  /// n: gains of G.
  Vector ceilings() const {
    const Vector s = now_.reading_variance(), least = least_ + noise_;
    return (least.array() > 0).select(0.5 * (s.array() / least.array()).max(1.0).log(), 0.0);
  }

  /// The gain of y grows with w and falls with u, and var(f_y | f elsewhere) is below both.
  void added(Index place, double before) override {
    if (least_[place] > 0) {
      const double d = noise_[place], l = std::min(least_[place], all_[place]);
      const auto part = [d](double w) { return std::log(w / (w + d)); };
      slack_ += 0.5 * std::max(part(all_[place]) - part(l), std::log(rest_[place] / l));
      ceiling_ += std::max(0.0, 0.5 * std::log(before / (least_[place] + d)));
    }
    known_[static_cast<size_t>(place)] = 1;
    const std::vector<Index>& again = (*holders_)[static_cast<size_t>(place)];
    placing::for_each_column(std::ssize(again), 1 << 16, threads_,
                             [&](Index j) { refresh(again[static_cast<size_t>(j)]); });
  }

  std::shared_ptr<const Neighborhoods> near_;
  std::shared_ptr<const std::vector<std::vector<Index>>> holders_;
  int threads_;
  Vector noise_;               // n: of a sensor there
  std::vector<char> known_;    // n: a sensor stands there
  Vector least_, rest_, all_;  // n: l, u, w
  double ceiling_ = 0;         // G(A)
  double slack_ = 0;           // bound on the error of F(A)
  bool bounded_ = false;       // l is known everywhere
};

std::unique_ptr<Criterion> made_local(const PlacementProblem& p, const Field& field,
                                      const CriterionOptions& o) {
  if (!p.targets.empty()) return placing::about_targets(p, field, o.threads);
  auto near = std::make_shared<const Neighborhoods>(placing::neighborhoods(field, o.neighbors, o.threads));
  return std::make_unique<LocalMutualInformation>(p, Conditioned(field, placing::noise_of(p), o.threads),
                                                  std::move(near), o.threads);
}

}  // namespace

namespace criterion {

CriterionEntry local_mutual_information() {
  CriterionEntry e{
      "local-mutual-information", "log((v + noise)/(w + noise) w/u) / 2, u and w by the nearest places",
      "mutual information by the places that covary most with each: for 100 000 places", "nats", made_local};
  e.certificate = "a monotone submodular upper bound, from what the places left out can change";
  return e;
}

}  // namespace criterion
}  // namespace covary
