// mutual-information: the information of the sensors about the places without one.
#include <fmt/format.h>

#include <cmath>

#include "covary/algebra/factor.h"
#include "place/precision.h"
#include "place/shared.h"

namespace covary {
using namespace internal;
namespace {

using placing::Precision;

/// A matrix of which the diagonal is known, and columns as they are asked for: its determinant over A grows by what
/// remains of a diagonal entry.
ConditionalCovariance of_diagonal(Vector diagonal) {
  const Index n = diagonal.size();
  return ConditionalCovariance({n, std::move(diagonal), {}});
}

/// F(A) = I(y_A; f_rest) = H(y_A) + H(f_rest) - H(y_A, f_rest), y = f + noise. With P = K^-1 and the noise D,
///   2 F(A) = log det (K + D)_AA + log det P_AA - log det (I + D^1/2 P D^1/2)_AA + ...
/// so a gain is log(s_y p_y / b_y) / 2 with the three diagonals swept. Without noise b is 1 and F submodular.
///
/// The bound: H(y_B | f_rest) is at least the sum over B of H(y_b | f elsewhere), whatever B is, so
///   F(B) <= G(B) = H(y_B) - sum_b log(2 pi e (1 / P_bb + d_b)) / 2,
/// which is submodular and never falls, with or without noise, for any number of sensors; and for such a G
///   G(B) <= G(A) + the largest gains of G at A.
class MutualInformation final : public Criterion {
 public:
  MutualInformation(const PlacementProblem& problem, Conditioned now,
                    std::shared_ptr<const Precision> precision)
      : Criterion(std::move(now)),
        precision_(std::move(precision)),
        noise_(now_.noise()),
        own_(precision_->diagonal()) {
    for (const Index i : problem.existing) noise_[i] = 0;  // their readings are what is known, noise and all
    root_ = noise_.cwiseSqrt();
    rest_ = of_diagonal(own_);
    noisy_ = noise_.maxCoeff() > 0;
    if (noisy_) both_ = of_diagonal((1 + noise_.array() * own_.array()).matrix());
    for (const Index i : problem.existing) {
      now_.add(i);
      added(i, 1);
    }
    ceiling_ = 0;
  }
  std::unique_ptr<Criterion> clone() const override { return std::make_unique<MutualInformation>(*this); }

  Vector most(const Allowed& start) const override {
    return start.most_by_number(ceilings()).array() + ceiling_;
  }
  double most_beyond(const Allowed& rest, double) const override {
    const double by_ceiling = ceiling_ + rest.most(ceilings());
    return noisy_ ? by_ceiling : std::min(by_ceiling, value() + rest.most(gains()));
  }
  std::vector<std::string> notes() const override {
    std::vector<std::string> out;
    if (precision_->raised() > 0)
      out.push_back(
          fmt::format("the field at some place is known from the others to rounding: a nugget of {:.3g} was "
                      "added everywhere",
                      precision_->raised()));
    // Then b is nearly d p, and a gain nearly log(s / d) / 2.
    if (2 * (own_.array().inverse() < 0.1 * noise_.array()).count() > now_.size())
      out.emplace_back(
          "most places are known from all others far better than a sensor reads them: mutual information "
          "then chooses as entropy does; a nugget gives each place a variance of its own");
    return out;
  }

 private:
  Vector computed_gains() const override {
    const Vector s = now_.reading_variance();
    Vector out(s.size());
    for (Index i = 0; i < s.size(); ++i) {
      const double b = noisy_ ? both_.remaining()[i] : 1;
      out[i] = 0.5 * std::log(s[i] * rest_.remaining()[i] / b);
      if (std::isnan(out[i])) out[i] = -std::numeric_limits<double>::infinity();
    }
    return out;
  }

  /// n: gains of G.
  Vector ceilings() const {
    const Vector s = now_.reading_variance();
    return 0.5 * (s.array() / (own_.array().inverse() + noise_.array())).max(1.0).log();
  }

  void added(Index place, double before) override {
    ceiling_ += std::max(0.0, 0.5 * std::log(before / (1 / own_[place] + noise_[place])));
    Vector p = precision_->column(place);
    rest_.condition_on(place, 0, p);
    if (!noisy_) return;
    p.array() *= root_[place] * root_.array();
    p[place] += 1;
    both_.condition_on(place, 0, p);
  }

  std::shared_ptr<const Precision> precision_;
  Vector noise_, root_, own_;          // n: of sensors to come; its square root; diag P
  ConditionalCovariance rest_, both_;  // P, and I + D^1/2 P D^1/2
  bool noisy_ = false;
  double ceiling_ = 0;  // G(A)
};

/// F(A) = I(y_A; f_T) for targets T that hold no sensors: log(var(y | A) / var(y | A, f_T)) / 2 each. Bounded
/// like the above, with the variance of a reading given f_T and all other readings.
class AboutTargets final : public Criterion {
 public:
  AboutTargets(Conditioned now, Conditioned given, Vector least)
      : Criterion(std::move(now)), given_(std::move(given)), least_(std::move(least)) {}
  std::unique_ptr<Criterion> clone() const override { return std::make_unique<AboutTargets>(*this); }
  Vector most(const Allowed& start) const override {
    if (least_.size() == 0) return placing::all_of(start, std::numeric_limits<double>::infinity());
    return start.most_by_number(ceilings()).array() + ceiling_;
  }
  double most_beyond(const Allowed& rest, double) const override {
    return least_.size() == 0 ? std::numeric_limits<double>::infinity() : ceiling_ + rest.most(ceilings());
  }

 private:
  Vector computed_gains() const override {
    return 0.5 * (now_.reading_variance().array() / given_.reading_variance().array()).max(1.0).log();
  }
  Vector ceilings() const { return 0.5 * (now_.reading_variance().array() / least_.array()).max(1.0).log(); }
  void added(Index place, double before) override {
    if (least_.size() > 0) ceiling_ += std::max(0.0, 0.5 * std::log(before / least_[place]));
    given_.add(place);
  }
  Conditioned given_;  // f_T known as well
  Vector least_;       // n: var(y | f_T, all other readings); empty: not known
  double ceiling_ = 0;
};

void check_apart(const PlacementProblem& p) {
  const Allowed start(p, 1);
  for (const Index t : p.targets)
    if (start.is_open(t))
      throw Error(Problem::usage,
                  fmt::format("mutual information about given targets: {} is a target and may hold a sensor; "
                              "forbid it, or use criterion variance",
                              p.name(t)));
}

/// Readings of everything but the targets, given those.
Vector least_variances(const PlacementProblem& p, const Conditioned& given, int threads) {
  constexpr Index affordable = 3000;
  std::vector<char> is_target(static_cast<size_t>(p.size()), 0);
  for (const Index t : p.targets) is_target[static_cast<size_t>(t)] = 1;
  std::vector<Index> others;
  for (Index i = 0; i < p.size(); ++i)
    if (!is_target[static_cast<size_t>(i)]) others.push_back(i);
  if (std::ssize(others) > affordable) return {};
  Matrix among(std::ssize(others), std::ssize(others));
  for (Index j = 0; j < among.cols(); ++j)
    among.col(j) = given.covariance(others[static_cast<size_t>(j)])(others);
  const auto factor =
      factorize_regular(placing::gram_of(covariances_of(std::move(among))), given.noise()(others), threads);
  if (!factor) return {};
  Vector out = Vector::Ones(p.size());
  out(others) = factor->inverse_diagonal(threads).cwiseInverse();
  return out;
}

}  // namespace

std::unique_ptr<Criterion> placing::about_targets(const PlacementProblem& p, const Field& field,
                                                  int threads) {
  check_apart(p);
  Vector noise = placing::noise_of(p);
  Conditioned given(field, noise, threads);
  given.reserve(std::ssize(p.targets) + std::ssize(p.existing));
  for (const Index t : p.targets)
    if (given.variance()[t] > 1e-10 * field.diagonal[t]) given.add_exact(t);
  Vector least = least_variances(p, given, threads);
  for (const Index i : p.existing) given.add(i);
  return std::make_unique<AboutTargets>(placing::standing(p, field, threads), std::move(given),
                                        std::move(least));
}

namespace {

std::unique_ptr<Criterion> made_mutual_information(const PlacementProblem& p, const Field& field,
                                                   const CriterionOptions& o) {
  if (!p.targets.empty()) return placing::about_targets(p, field, o.threads);
  Vector noise = placing::noise_of(p), own = Vector::Zero(p.size());
  for (const Index i : p.existing) own[i] = noise[i];
  auto precision = std::make_shared<const Precision>(field, own, o.threads);
  Conditioned now(with_nugget(field, precision->raised()), std::move(noise), o.threads);
  return std::make_unique<MutualInformation>(p, std::move(now), std::move(precision));
}

}  // namespace

namespace criterion {

CriterionEntry mutual_information() {
  CriterionEntry e{"mutual-information", "log(var(y | A) / var(y | rest)) / 2",
                   "information about the places without a sensor; seldom at the boundary", "nats",
                   made_mutual_information};
  e.certificate = "a monotone submodular upper bound, for any number of sensors and any noise";
  return e;
}

}  // namespace criterion
}  // namespace covary
