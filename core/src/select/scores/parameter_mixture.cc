#include "select/scores/parameter_mixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/constants.h"

namespace covary::select {
using namespace internal;
namespace {

constexpr std::uint64_t seed_of_draws =
    1;  // the same vectors at every choice: scores are compared between them

/// Covariances among some candidates, and their noise in the last column.
Matrix print_of(const Pool& pool) {
  const std::vector<Index> some = representatives(pool.size, 6);
  Matrix out(std::ssize(some), std::ssize(some) + 1);
  out << pool.among(some, some), Vector(pool.noise(some));
  return out;
}

/// The largest of 4, 8, 16, ... that is not above n, or 0.
Index begun_from(Index n) {
  Index from = 0;
  for (Index k = 4; k <= n; k *= 2) from = k;
  return from;
}

}  // namespace

bool ParameterMixture::is_same(const PoolPosterior& belief, Index from) const {
  if (from != from_ || std::ssize(told_) > belief.labels()) return false;
  for (size_t i = 0; i < told_.size(); ++i)
    if (told_[i] != belief.order()[i] || labels_[i] != belief.targets()(Index(i), 0)) return false;
  return print_ == print_of(belief.pool());
}

void ParameterMixture::begin(const PoolPosterior& belief, Index from) {
  const std::vector<Index> first(belief.order().begin(), belief.order().begin() + from);
  members_.clear(), told_.clear(), labels_.clear();
  log_weights_.resize(draws_);
  for (Pool& pool : belief.pool().weighted(first, belief.targets().topRows(from), belief.pool().noise_known,
                                           draws_, spread_, seed_of_draws)) {
    log_weights_[std::ssize(members_)] = pool.log_weight;
    members_.emplace_back(std::move(pool), 1, belief.threads());
  }
  from_ = from, print_ = print_of(belief.pool()), ++generation_;
}

/// log N(y; m, v) of a label is added to each log weight, once the labels before determine the trend: with a flat prior
/// on p coefficients the first p labels say nothing of the parameters.
void ParameterMixture::tell(Index candidate, double label) {
  for (size_t s = 0; s < members_.size(); ++s) {
    PoolPosterior& member = members_[s];
    if (member.trend().cols() == member.pool().basis.cols()) {
      const double v = member.variance()[candidate] + member.pool().noise[candidate],
                   off = label - member.mean()(candidate, 0);
      if (v > 0) log_weights_[Index(s)] -= 0.5 * (std::log(v) + off * off / v + log_two_pi);
    }
    member.tell(candidate, Vector::Constant(1, label));
  }
  told_.push_back(candidate), labels_.push_back(label);
}

void ParameterMixture::follow(const PoolPosterior& belief) {
  const Index from = when_ == Drawn::anew ? begun_from(belief.labels()) : 0;
  if (!is_same(belief, from)) begin(belief, from);
  for (PoolPosterior& member : members_) member.drop_pending();
  for (Index i = std::ssize(told_); i < belief.labels(); ++i)
    tell(belief.order()[static_cast<size_t>(i)], belief.targets()(i, 0));
  for (size_t i = static_cast<size_t>(belief.labels()); i < belief.order().size(); ++i)
    for (PoolPosterior& member : members_) member.pend(belief.order()[i]);
  weights_ = normalized_weights(log_weights_);
}

double ParameterMixture::entropy() const {
  double sum = 0;
  for (const double w : weights_)
    if (w > 0) sum -= w * std::log(w);
  return sum;
}

Matrix ParameterMixture::mean() const {
  Matrix out(members_.front().pool().size, draws_);
  for (Index s = 0; s < draws_; ++s) out.col(s) = members_[static_cast<size_t>(s)].mean().col(0);
  return out;
}

Matrix ParameterMixture::sd() const {
  Matrix out(members_.front().pool().size, draws_);
  for (Index s = 0; s < draws_; ++s) {
    const PoolPosterior& member = members_[static_cast<size_t>(s)];
    out.col(s) = (member.variance() + member.pool().noise).cwiseMax(0).cwiseSqrt();
  }
  return out;
}

int draws_of(const Arguments& a) { return a.integer("draws", 32, 2, 1000); }

double spread_of(const Arguments& a) {
  const double spread = a.number("spread");
  if (std::isnan(spread)) return 1.5;
  if (spread > 0 && spread <= 10) return spread;
  throw Error(
      Problem::usage,
      fmt::format("strategy: spread, the prior sd of each log parameter, must be above 0 and at most 10, "
                  "found {:g}",
                  spread));
}

double bytes_of_mixture(const Arguments& a, Index m) { return 8.0 * 100 * double(draws_of(a)) * double(m); }

StrategyEntry over_parameters(StrategyEntry e) {
  e.reference = "krause2007";
  e.task = StrategyEntry::For::regression;
  e.labels = true;
  e.pending = StrategyEntry::Pending::unseen;
  e.bytes = bytes_of_mixture;
  return e;
}

}  // namespace covary::select
