// The posterior of a state space: predictions, leave-one-out and draws from the smoother.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/inference/state_space.h"
#include "covary/process/posterior_parts.h"
#include "inference/state_space/state_solution.h"
#include "process/gls.h"

namespace covary::internal {
namespace {

/// Jitter to try after this one, in units of the mean variance.
double more_jitter(double jitter) {
  if (jitter >= 1e-6)
    throw Error(Problem::numerical,
                "an observation without noise follows from those before it, even with 1e-6 of the variance "
                "added: give "
                "a noise variance");
  return jitter > 0 ? 10 * jitter : 1e-12;
}

class StatePosterior {
 public:
  StatePosterior(const StateSpace& how, const Process<Row>& prior, const Rows& x, const Vector& y,
                 const Vector& variances) {
    Data d{how,
           prior.kernel(),
           prior.trend(),
           prior.trend(),
           x,
           y,
           variances,
           variances,
           {},
           {},
           {},
           0,
           0,
           {},
           {},
           {}};
    StateModel model = state_model(d.kernel, x.cols(), how.order).model;
    d.column = model.column;
    d.notes = model.notes;
    d.approximate = model.approximate;
    const std::vector<Index> alike = first_alike_in_time(x, d.column);
    d.state = sorted_by_time(x, d.column, alike, y, variances);
    const std::vector<Index> rows = d.state.rows();
    d.estimated = mend_zero_noise(d.state.merged, d.variances, y, alike, d.notes);
    const Matrix distinct = pick(x, rows);
    d.mean = prior.trend().centered_on(Rows(distinct));
    const Matrix basis = d.mean.basis_at(Rows(distinct));
    d.state.kept = independent_columns(basis);
    d.flat = basis.cols();
    Matrix columns(distinct.rows(), 1 + std::ssize(d.state.kept));
    columns << Vector(d.state.merged.y(d.state.order)) - d.mean.known_at(Rows(distinct)),
        basis(Eigen::all, d.state.kept);
    solve(d, model, columns);
    note(d);
    data_ = std::make_shared<const Data>(std::move(d));
  }

  Vector mean(Rows at, int threads) const { return marginals(at, threads).mean; }
  Marginals marginals(Rows at, int threads) const;
  Gaussian joint(Rows at, int threads) const;
  double log_evidence() const { return data_->solution->sums().log_density() + data_->state.merged.constant; }
  InferenceReport report() const;
  LeaveOneOut leave_one_out(int threads) const;
  TrendEstimate trend() const {
    const Data& d = *data_;
    return trend_of_kept(d.mean, d.flat, d.state.kept, d.beta(), d.r());
  }
  /// O(new rows) where they come later, beside copies.
  StatePosterior extended(Rows x, const Vector& y, const Vector& variances, int threads) const;
  Posterior<Row>::Function pathwise(const Posterior<Row>::Function& draw, Random& rng) const;
  std::optional<Matrix> sample(Rows at, Index draws, std::uint64_t seed, Of of) const;
  const Mean<Row>& basis_mean() const { return data_->mean; }

 private:
  struct Data {
    StateSpace how;
    Kernel<Row> kernel;
    Mean<Row> given_mean, mean;
    Matrix x;
    Vector y, given, variances;  // variances: given, or what had to be estimated
    StateData state;
    std::shared_ptr<const StateSolution> solution;
    std::vector<std::string> notes;
    double estimated = 0, jitter = 0;
    bool approximate = false;
    Index column = 0, flat = 0;  // flat: columns of the whole basis
    Vector beta() const { return solution->sums().beta(); }
    const Matrix& r() const { return solution->sums().trend.r; }
  };
  explicit StatePosterior(Data d) : data_(std::make_shared<const Data>(std::move(d))) {}
  static void solve(Data& d, const StateModel& model, const Matrix& columns);
  static void note(Data& d);
  struct Targets {
    std::vector<Index> order;
    Vector t;
  };
  Targets targets(Rows at) const;
  /// What the trend adds to some times: R'^-1 (F* - F_seen), p x m; the mean without its known part.
  Matrix trend_share(const StateMarginals& found, const Matrix& basis, Vector& mean) const;
  Matrix basis(Rows at) const { return data_->mean.basis_at(at)(Eigen::all, data_->state.kept); }
  Posterior<Row>::Function correction(const Matrix& residuals, const Vector& beta) const;

  std::shared_ptr<const Data> data_;
};

/// With jitter where an observation without noise follows from those before it to rounding.
void StatePosterior::solve(Data& d, const StateModel& model, const Matrix& columns) {
  const Vector own = d.state.merged.noise(d.state.order);
  double variance = 0, jitter = 0;
  for (const StateTerm& t : model.terms)
    variance +=
        features(t, d.state.times.t.data(), d.state.times.size(), d.state.times.origin).squaredNorm() /
        double(d.state.times.size());
  while (true) {
    d.solution =
        std::make_shared<const StateSolution>(model, d.state.times, columns, Vector(own.array() + d.jitter));
    if (std::isfinite(d.solution->sums().log_density())) return;
    jitter = more_jitter(jitter);
    d.jitter = jitter * variance;
  }
}

void StatePosterior::note(Data& d) {
  const Index distinct = d.state.times.size(), all = d.y.size();
  if (d.state.displaced)
    d.notes.push_back(
        fmt::format("rows were sorted by time: {} of {} come before one above them", d.state.displaced, all));
  if (all > distinct)
    d.notes.push_back(
        fmt::format("{} rows merged: {} observations at {} distinct inputs", all - distinct, all, distinct));
  if (d.jitter > 0)
    d.notes.push_back(fmt::format("jitter {:.3g} was added to the noise variances", d.jitter));
}

StatePosterior::Targets StatePosterior::targets(Rows at) const {
  const Vector t = at.col(data_->column);
  Targets out{all_indices(t.size()), {}};
  if (!std::is_sorted(t.begin(), t.end()))
    std::stable_sort(out.order.begin(), out.order.end(), [&](Index a, Index b) { return t[a] < t[b]; });
  out.t = t(out.order);
  return out;
}

Matrix StatePosterior::trend_share(const StateMarginals& found, const Matrix& basis, Vector& mean) const {
  const Data& d = *data_;
  const Index p = basis.cols();
  mean = found.mean.col(0);
  if (p == 0) return Matrix(0, mean.size());
  const Matrix left = basis - found.mean.rightCols(p);
  mean += left * d.beta();
  Matrix u(p, left.rows());  // one point after the other
  for (Index j = 0; j < left.rows(); ++j)
    u.col(j) = d.r().transpose().triangularView<Eigen::Lower>().solve(Vector(left.row(j).transpose()));
  return u;
}

Marginals StatePosterior::marginals(Rows at, int threads) const {
  const Data& d = *data_;
  const Targets to = targets(at);
  Marginals out{Vector(at.rows()), Vector(at.rows()), 0};
  std::atomic<Index> clamped{0};
  for_runs(at.rows(), threads, [&](Range r) {
    const std::vector<Index> some(to.order.begin() + r.first, to.order.begin() + r.end());
    const Matrix points = at(some, Eigen::all);
    const Vector t = to.t.segment(r.first, r.count);
    StateMarginals found = d.solution->predict(t);
    Vector mean;
    const Matrix u = trend_share(found, basis(points), mean);
    const Vector prior = d.solution->steps().prior_variance(t);
    clamped += clamp_variances(found.variance, prior, d.solution->model().size);
    for (Index j = 0; j < u.cols(); ++j) found.variance[j] += u.col(j).squaredNorm();
    mean += d.mean.known_at(Rows(points));
    out.mean(some) = mean, out.variance(some) = found.variance;
  });
  out.clamped = clamped;
  return out;
}

Gaussian StatePosterior::joint(Rows at, int threads) const {
  const Data& d = *data_;
  const auto m = double(at.rows());
  check_memory(32 * m * m, "the joint covariance of " + std::to_string(at.rows()) + " points");
  const Targets to = targets(at);
  const Marginals marginal = marginals(at, threads);
  Matrix sorted = d.solution->covariance(to.t);
  const Matrix points = at(to.order, Eigen::all);
  Vector mean;
  const Matrix u = trend_share(d.solution->predict(to.t), basis(points), mean);
  if (u.rows()) sorted += u.transpose() * u;
  Matrix covariance(at.rows(), at.rows());
  covariance(to.order, to.order) = sorted;
  covariance.diagonal() = marginal.variance;
  const Vector prior = d.solution->steps().prior_variance(to.t);
  const double level = prior.size() ? rounding_level(d.solution->model().size) * prior.maxCoeff() : 0;
  return gaussian_difference(marginal.mean, std::move(covariance), Vector::Zero(at.rows()), level);
}

InferenceReport StatePosterior::report() const {
  const Data& d = *data_;
  InferenceReport out;
  out.inference = d.how.text();
  out.notes = d.notes;
  out.distinct = d.state.times.size();
  out.conditioning.jitter = d.jitter;
  out.estimated_noise = d.estimated;
  out.approximate = d.approximate;
  return out;
}

/// P = K^-1 - K^-1 F (F'K^-1F)^-1 F'K^-1: c_i = P_ii, y_i - (P y)_i/c_i.
LeaveOneOut StatePosterior::leave_one_out(int threads) const {
  const Data& d = *data_;
  return leave_one_out_about<Row>(
      d.mean, Rows(d.x), d.state.merged, d.y, [&](const MergedRows& merged, const Vector& y) {
        auto [alpha, own] = d.solution->weights(threads);
        const Index p = alpha.cols() - 1;
        Vector weight = alpha.col(0);
        if (p > 0) {
          weight -= alpha.rightCols(p) * d.beta();
          const Matrix u =
              d.r().transpose().triangularView<Eigen::Lower>().solve(alpha.rightCols(p).transpose());
          for (Index i = 0; i < own.size(); ++i) {
            const double left = own[i] - u.col(i).squaredNorm();
            own[i] = left > 1e-10 * own[i] ? left : 0;
          }
        }
        Vector means(own.size()), precisions(own.size());
        precisions(d.state.order) = own;
        means(d.state.order) = (own.array() > 0).select(weight.cwiseQuotient(own), 0);
        means = merged.y - means;
        return left_out(means, precisions, merged, y, d.variances);
      });
}

StatePosterior StatePosterior::extended(Rows x, const Vector& y, const Vector& variances, int) const {
  const Data& d = *data_;
  const Matrix all = join(Rows(d.x), x);
  const Vector ys = concat(d.y, y), given = concat(d.given, variances), t = x.col(d.column);
  const bool later = x.rows() > 0 && t[0] > d.state.times.t[d.state.times.size() - 1] &&
                     std::adjacent_find(t.begin(), t.end(), std::greater_equal<>()) == t.end();
  const bool as_before = d.estimated == 0 && d.jitter == 0 && std::ssize(d.state.kept) == d.flat &&
                         x.rows() <= d.x.rows() && variances.minCoeff() > 0;
  if (!later || !as_before) {
    const Process<Row> prior(d.kernel, d.given_mean);
    return {d.how, prior, all, ys, given};
  }
  Data next = d;
  next.x = all, next.y = ys, next.given = given, next.variances = concat(d.variances, variances);
  MergedRows& m = next.state.merged;
  const Index old = m.y.size(), n = d.y.size();
  m.y = concat(m.y, y), m.noise = concat(m.noise, variances);
  m.repeats = concat(m.repeats, Vector::Ones(y.size()));
  for (Index i = 0; i < y.size(); ++i)
    m.rows.push_back(n + i), m.group.push_back(old + i), next.state.order.push_back(old + i);
  next.state.times = d.state.times.with(t);
  next.state.noise = concat(d.state.noise, variances);
  Matrix columns(y.size(), 1 + std::ssize(d.state.kept));
  columns << y - d.mean.known_at(x), basis(x);
  next.solution = d.solution->with_later(t, columns, variances);
  if (!std::isfinite(next.solution->sums().log_density())) {
    const Process<Row> prior(d.kernel, d.given_mean);
    return {d.how, prior, all, ys, given};
  }
  return StatePosterior(std::move(next));
}

/// The smoother's mean of these residuals (n, in order of time) and basis * beta, as a function.
Posterior<Row>::Function StatePosterior::correction(const Matrix& residuals, const Vector& beta) const {
  return [this_ = *this, beta, solved = data_->solution->with_columns(residuals)](Rows at) -> Vector {
    const Targets to = this_.targets(at);
    Vector out(at.rows());
    out(to.order) = solved->predict(to.t).mean.col(0);
    if (beta.size()) out += this_.basis(at) * beta;
    return out;
  };
}

/// Matheron's rule: a draw of the prior and of the noise, corrected by the smoothed difference to the observations; the
/// trend has a draw of its own.
Posterior<Row>::Function StatePosterior::pathwise(const Posterior<Row>::Function& draw, Random& rng) const {
  const Data& d = *data_;
  Vector beta = d.beta();
  if (beta.size()) beta += d.r().triangularView<Eigen::Upper>().solve(Vector(rng.normal(beta.size(), 1)));
  const Matrix& columns = d.solution->columns();
  Vector residual = columns.col(0) - columns.rightCols(beta.size()) * beta;
  const std::vector<Index> rows = d.state.rows();
  constexpr Index run = 2048;
  for (Index i = 0; i < residual.size(); i += run) {
    const Index count = std::min(run, residual.size() - i);
    const Matrix points = pick(Rows(d.x), {rows.begin() + i, rows.begin() + i + count});
    residual.segment(i, count) -= draw(Rows(points));
  }
  for (Index i = 0; i < residual.size(); ++i) residual[i] -= std::sqrt(d.solution->noise()[i]) * rng.normal();
  return correction(residual, beta);
}

/// Many points: the same with draws of the prior from its own states, exactly. Few: from the joint distribution.
std::optional<Matrix> StatePosterior::sample(Rows at, Index draws, std::uint64_t seed, Of of) const {
  constexpr Index few = 500;
  const Data& d = *data_;
  const bool one_noise = (d.variances.array() == d.variances[0]).all();
  if (at.rows() <= few || (of == Of::y && !one_noise)) return {};
  Random rng(seed);
  const Targets to = targets(at);
  const Vector& seen = d.solution->times().t;
  const Index n = seen.size(), m = to.t.size();
  Vector both(n + m);
  std::merge(seen.begin(), seen.end(), to.t.begin(), to.t.end(), both.begin());
  const auto place = [&](const Vector& t, Index i, bool first) {
    const Vector& others = first ? to.t : seen;
    return i + (first ? std::lower_bound(others.begin(), others.end(), t[i]) - others.begin()
                      : std::upper_bound(others.begin(), others.end(), t[i]) - others.begin());
  };
  Matrix out(m, draws);
  for (Index k = 0; k < draws; ++k) {
    const Vector prior = d.solution->draw_prior(both, 1, rng);
    Vector beta = d.beta();
    if (beta.size()) beta += d.r().triangularView<Eigen::Upper>().solve(Vector(rng.normal(beta.size(), 1)));
    const Matrix& columns = d.solution->columns();
    Vector residual = columns.col(0) - columns.rightCols(beta.size()) * beta;
    for (Index i = 0; i < n; ++i)
      residual[i] -= prior[place(seen, i, true)] + std::sqrt(d.solution->noise()[i]) * rng.normal();
    out.col(k) = correction(residual, beta)(at) + d.mean.known_at(at);
    for (Index j = 0; j < m; ++j) out(to.order[static_cast<size_t>(j)], k) += prior[place(to.t, j, false)];
  }
  if (of == Of::y) out += std::sqrt(d.variances[0]) * rng.normal(m, draws);
  return out;
}

}  // namespace

Posterior<Row> state_posterior(const StateSpace& how, const Process<Row>& prior, const Rows& x,
                               const Vector& y, const Vector& variances) {
  return StatePosterior(how, prior, x, y, variances);
}

}  // namespace covary::internal
