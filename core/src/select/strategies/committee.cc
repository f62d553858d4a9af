// committee: disagreement among models that fit the labels about equally well.
#include <fmt/format.h>

#include <cmath>

#include "select/shared.h"

namespace covary::strategy {
using namespace internal;
namespace {

/// The class of the largest value; for one value its sign.
Index vote(const Eigen::Ref<const Eigen::RowVectorXd>& values) {
  if (values.size() == 1) return values[0] > 0 ? 1 : 0;
  Index best = 0;
  values.maxCoeff(&best);
  return best;
}

/// What members predict -> how much they disagree. Numbers: their variance. Classes: the entropy of their
/// votes.
Vector disagreement(const Matrix& votes, Index kinds) {
  const Index members = votes.cols();
  Vector out = Vector::Zero(votes.rows());
  if (kinds == 0) {
    const Vector mean = votes.rowwise().mean();
    return (votes.colwise() - mean).rowwise().squaredNorm() / double(std::max<Index>(1, members - 1));
  }
  Vector count(kinds);
  for (Index i = 0; i < out.size(); ++i) {
    count.setZero();
    for (Index b = 0; b < members; ++b) count[Index(votes(i, b))] += 1 / double(members);
    for (const double p : count)
      if (p > 0) out[i] -= p * std::log(p);
  }
  return out;
}

/// A committee: members(sight) gives one m x c matrix of predictions each.
struct Committee {
  std::function<std::vector<Matrix>(const StrategyInput&)> members;
  Vector latest = {};
  Index size = 0;

  Vector scores(const StrategyInput& sight) {
    const std::vector<Matrix> all = members(sight);
    size = std::ssize(all);
    const Index m = sight.pool().size;
    Matrix votes(m, size);
    Vector between = Vector::Zero(m);  // breaks the ties of few votes
    Matrix mean = Matrix::Zero(m, all[0].cols());
    for (const Matrix& f : all) mean += f / double(size);
    for (Index b = 0; b < size; ++b) {
      const Matrix& f = all[static_cast<size_t>(b)];
      between += (f - mean).rowwise().squaredNorm() / double(size);
      for (Index i = 0; i < m; ++i) votes(i, b) = sight.classifies() ? double(vote(f.row(i))) : f(i, 0);
    }
    latest = disagreement(votes, sight.kinds);
    if (sight.classifies()) latest.array() += 1e-3 * between.array() / (1 + between.array());
    return latest;
  }
  std::string reason(const StrategyInput& sight, Index i) const {
    if (sight.classifies())
      return fmt::format("{} models disagree: entropy of their votes {:.2g}", size, latest[i]);
    return fmt::format("{} models disagree: sd of their predictions {:.3g}, {:.2g} times the median", size,
                       std::sqrt(latest[i]), std::sqrt(select::times_median(latest, i)));
  }
};

/// The user's own models, which predict numbers or classes.
struct Given {
  std::function<Matrix(const StrategyInput&)> votes;
  Vector latest = {};
  Vector scores(const StrategyInput& sight) { return latest = disagreement(votes(sight), sight.kinds); }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("the given models disagree: {:.3g}", latest[i]);
  }
};

/// m x c: the mean of the process given targets (k x c) at some places of the pool, each with a noise of its
/// own. k^3/3 + m k flops; one run of m x k is kept at a time.
Matrix mean_given(const Pool& pool, const std::vector<Index>& places, const Vector& noise, const Matrix& y,
                  int threads) {
  const Gram gram{
      noise.size(),
      [&](Range r, Range c) -> Matrix {
        return pool.among({places.begin() + r.first, places.begin() + r.end()},
                          {places.begin() + c.first, places.begin() + c.end()});
      },
      [&](Range r) -> Vector {
        return pool.diagonal(std::vector<Index>(places.begin() + r.first, places.begin() + r.end()));
      },
      {}};
  const Factor factor = factorize(gram, noise);
  const Matrix basis = pool.basis(places, Eigen::all);
  Matrix alpha(noise.size(), y.cols()), out = Matrix::Zero(pool.size, y.cols());
  for (Index t = 0; t < y.cols(); ++t) {
    const Solution s = solve(factor, y.col(t) - pool.known(places), basis);
    alpha.col(t) = s.alpha;
    for (size_t j = 0; j < s.kept.size(); ++j) out.col(t) += s.beta[Index(j)] * pool.basis.col(s.kept[j]);
  }
  for_runs(pool.size, threads,
           [&](Range r) { out.middleRows(r.first, r.count).noalias() += pool.block(r, places) * alpha; });
  out.colwise() += pool.known;
  return out;
}

/// The process on a bootstrap sample of the labels: a label drawn w times has 1/w of its noise.
Matrix resampled(const StrategyInput& sight, Random& rng) {
  const PoolPosterior& belief = sight.belief;
  const Index n = belief.labels();
  std::vector<double> times(static_cast<size_t>(n), 0);
  for (Index i = 0; i < n; ++i) times[static_cast<size_t>(rng.integer(n))] += 1;
  std::vector<Index> rows, places;
  for (Index i = 0; i < n; ++i)
    if (times[static_cast<size_t>(i)] > 0)
      rows.push_back(i), places.push_back(belief.order()[static_cast<size_t>(i)]);
  Vector noise = belief.pool().noise(places);
  for (Index i = 0; i < noise.size(); ++i)
    noise[i] /= times[static_cast<size_t>(rows[static_cast<size_t>(i)])];
  return mean_given(belief.pool(), places, noise, belief.targets()(rows, Eigen::all), belief.threads());
}

std::vector<Matrix> bootstrap(const StrategyInput& sight, int members) {
  Random rng(sight.seed);
  std::vector<Matrix> out;
  out.reserve(static_cast<size_t>(members));
  for (int b = 0; b < members; ++b)
    out.push_back(sight.belief.labels() ? resampled(sight, rng) : sight.belief.mean());
  return out;
}

/// Of classes, the parameters and the noise are drawn as if the labels 1 and -1 were numbers: the kernel from
/// what they leave open, the noise as it is.
std::vector<Matrix> drawn(const StrategyInput& sight, int members) {
  const PoolPosterior& belief = sight.belief;
  const Index n = belief.labels();
  if (n == 0) return std::vector<Matrix>(static_cast<size_t>(members), belief.mean());
  const std::vector<Index> labelled(belief.order().begin(), belief.order().begin() + n);
  const Matrix y = belief.targets();
  const bool noise_known = sight.classifies() || sight.pool().noise_known;
  std::vector<Matrix> out;
  for (const Pool& pool : sight.pool().drawn(labelled, y, noise_known, members, sight.seed))
    out.push_back(mean_given(pool, labelled, pool.noise(labelled), y, belief.threads()));
  return out;
}

StrategyEntry entry(const std::string& name, const std::string& about,
                    std::vector<Matrix> (*members)(const StrategyInput&, int)) {
  StrategyEntry e{
      name,
      "variance of the members' predictions; entropy of their votes",
      about,
      {"members"},
      [members](const Arguments& a) {
        const int size = a.integer("members", 8, 2, 1000);
        return Strategy(Committee{[members, size](const StrategyInput& s) { return members(s, size); }});
      }};
  e.reference = "seung1992";
  e.labels = true;
  e.pending = StrategyEntry::Pending::unseen;
  return e;
}

}  // namespace

StrategyEntry committee() {
  return entry("committee", "where models of bootstrap samples of the labels disagree", bootstrap);
}

StrategyEntry committee_draws() {
  return entry("committee-draws", "where models with parameters drawn from their posterior disagree", drawn);
}

}  // namespace covary::strategy

namespace covary {
Strategy committee_of(std::function<Matrix(const StrategyInput&)> votes) {
  return strategy::Given{std::move(votes)};
}
}  // namespace covary
