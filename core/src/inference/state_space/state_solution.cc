#include "inference/state_space/state_solution.h"

#include <algorithm>
#include <cmath>

#include "covary/base/parallel.h"
#include "covary/base/random.h"

namespace covary::internal {
namespace {

std::vector<Index> order_of(const Vector& t) {
  std::vector<Index> order = all_indices(t.size());
  if (!std::is_sorted(t.begin(), t.end()))
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return t[a] < t[b]; });
  return order;
}

/// L with L L' = a, a positive semi-definite to rounding.
Matrix lower_root(const Matrix& a) {
  const Index n = a.rows();
  Matrix l = Matrix::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    const double pivot = a(j, j) - l.row(j).head(j).squaredNorm();
    if (!(pivot > 1e-15 * a(j, j))) continue;
    l(j, j) = std::sqrt(pivot);
    for (Index i = j + 1; i < n; ++i) l(i, j) = (a(i, j) - l.row(i).head(j).dot(l.row(j).head(j))) / l(j, j);
  }
  return l;
}

}  // namespace

std::vector<Index> StateData::rows() const {
  std::vector<Index> out;
  out.reserve(order.size());
  for (const Index g : order) out.push_back(merged.rows[static_cast<size_t>(g)]);
  return out;
}

std::vector<Index> first_alike_in_time(const Rows& x, Index column) {
  if (x.cols() > 1) return first_alike(x);
  const Vector t = x.col(column);
  const std::vector<Index> order = order_of(t);
  std::vector<Index> first(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const bool again = i > 0 && t[order[i]] == t[order[i - 1]];
    first[static_cast<size_t>(order[i])] = again ? first[static_cast<size_t>(order[i - 1])] : order[i];
  }
  return first;
}

StateData sorted_by_time(const Rows& x, Index column, const std::vector<Index>& alike, const Vector& y,
                         const Vector& variances) {
  StateData d;
  double latest = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < x.rows(); ++i) {
    d.displaced += x(i, column) < latest ? 1 : 0;
    latest = std::max(latest, x(i, column));
  }
  d.merged = merge(alike, y, variances);
  Vector t(d.merged.y.size());
  for (Index i = 0; i < t.size(); ++i) t[i] = x(d.merged.rows[static_cast<size_t>(i)], column);
  d.order = order_of(t);
  d.times = StateTimes(t(d.order));
  d.noise = d.merged.noise(d.order);
  return d;
}

StateSolution::StateSolution(StateModel model, StateTimes times, Matrix columns, Vector noise)
    : model_(std::move(model)),
      times_(std::move(times)),
      columns_(std::move(columns)),
      noise_(std::move(noise)),
      steps_(model_, times_),
      result_(filtered(steps_, columns_, noise_)) {}

StateSolution::StateSolution(Continued, const StateSolution& before, const Vector& t, const Matrix& columns,
                             const Vector& noise)
    : model_(before.model_),
      times_(before.times_.with(t)),
      columns_(join(Rows(before.columns_), Rows(columns))),
      noise_(concat(before.noise_, noise)),
      steps_(model_, times_),
      result_(before.result_) {
  filter_on(steps_, columns_, noise_, before.times_.size(), result_);
}

std::shared_ptr<const StateSolution> StateSolution::with_columns(Matrix columns) const {
  return std::make_shared<const StateSolution>(model_, times_, std::move(columns), noise_);
}

std::shared_ptr<const StateSolution> StateSolution::with_later(const Vector& t, const Matrix& columns,
                                                               const Vector& noise) const {
  return std::shared_ptr<const StateSolution>(new StateSolution(Continued(), *this, t, columns, noise));
}

const std::vector<DualState>& StateSolution::duals() const {
  std::call_once(looked_back_, [this] { duals_ = smoothed(steps_, columns_, noise_, result_); });
  return duals_;
}

void StateSolution::load(StateRun& run, Index k) const {
  run.keep = true;
  const Index first = k * steps_.run();
  steps_.load(run, first, std::min(steps_.run(), columns_.rows() - first), columns_, noise_);
  FilteredState begin = result_.starts[static_cast<size_t>(k)];
  steps_.forwards(run, begin);
  DualState end = duals()[static_cast<size_t>(k + 1)];
  steps_.backwards(run, end, nullptr);
}

Index StateSolution::interval(double t) const {
  return std::upper_bound(times_.t.begin(), times_.t.end(), t) - times_.t.begin() - 1;
}

/// With the state moved here from observation i, and lambda moved back from i + 1: u = P h, and what the covariance
/// with anything before it is multiplied by, z = h - Lambda u.
struct StateSolution::Target {
  Vector mean;  // c
  Vector u, z;  // s
  double variance = 0;
  Vector w, ahead;  // s: scratch
};

void StateSolution::aim(const StateRun& run, Index k, Index i, const StateSteps::Moves& here,
                        const StateSteps::Moves& there, Index at, const double* own, Target& out) const {
  const Index s = model_.size, c = columns_.cols(), next = i + 1;
  const Eigen::Map<const Vector> h(own, s);
  out.z = out.w = h;
  if (i < 0) {
    out.u.noalias() = steps_.prior_covariance() * h;
    out.mean = Vector::Zero(c);
  } else {
    steps_.move(here, at, out.w.data(), true);
    out.u.noalias() = Eigen::Map<const Matrix>(run.filtered_p.col(i - run.first).data(), s, s) * out.w;
    steps_.move(here, at, out.u.data());
    steps_.add_noise(here, at, h.data(), out.u.data());
    out.mean.noalias() =
        Eigen::Map<const Matrix>(run.filtered_m.col(i - run.first).data(), s, c).transpose() * out.w;
  }
  out.variance = h.dot(out.u);
  if (next >= times_.size()) return;
  const bool inside = next < run.first + run.count;
  const DualState& later = duals()[static_cast<size_t>(k + 1)];
  const double* l = inside ? run.lambda.col(next - run.first).data() : later.lambda.data();
  const double* info = inside ? run.information.col(next - run.first).data() : later.information.data();
  out.ahead = out.u;
  steps_.move(there, at, out.ahead.data());
  out.mean.noalias() -= Eigen::Map<const Matrix>(l, s, c).transpose() * out.ahead;
  out.w.noalias() = Eigen::Map<const Matrix>(info, s, s) * out.ahead;
  out.variance -= out.ahead.dot(out.w);
  steps_.move(there, at, out.w.data(), true);
  out.z -= out.w;
}

StateMarginals StateSolution::predict(const Vector& t) const {
  const Index m = t.size(), n = times_.size(), run_length = steps_.run();
  StateMarginals out{Matrix(m, columns_.cols()), Vector(m)};
  StateRun run;
  Target to;
  Vector before, after;
  std::vector<Index> intervals;
  for (Index j = 0; j < m;) {
    intervals.assign(1, interval(t[j]));
    const Index k = std::max<Index>(intervals[0], 0) / run_length;
    const Index last = std::min(n, (k + 1) * run_length);  // a later run begins there
    while (j + std::ssize(intervals) < m && std::ssize(intervals) < 1024) {
      const double next = t[j + std::ssize(intervals)];
      if (last < n && next >= times_.t[last]) break;
      Index i = intervals.back();
      while (i + 1 < n && times_.t[i + 1] <= next) ++i;
      intervals.push_back(i);
    }
    const Index some = std::ssize(intervals);
    load(run, k);
    before = Vector::Zero(some), after = Vector::Zero(some);
    for (Index g = 0; g < some; ++g) {
      const Index i = intervals[static_cast<size_t>(g)];
      if (i >= 0) before[g] = t[j + g] - times_.t[i];
      if (i + 1 < n) after[g] = times_.t[i + 1] - t[j + g];
    }
    const StateSteps::Moves here = steps_.moves(before), there = steps_.moves(after);
    const Matrix h = steps_.observed(t.data() + j, some);
    for (Index g = 0; g < some; ++g) {
      aim(run, k, intervals[static_cast<size_t>(g)], here, there, g, h.col(g).data(), to);
      out.mean.row(j + g) = to.mean.transpose();
      out.variance[j + g] = to.variance;
    }
    j += some;
  }
  return out;
}

/// cov(f_k, f_l | y) = (Psi u_k)'z_l for t_k <= t_l, Psi the product of A and, at each observation between, 1 - k h'.
Matrix StateSolution::covariance(const Vector& t) const {
  const Index m = t.size(), n = times_.size(), s = model_.size;
  Matrix out(m, m), u(s, m);
  StateRun run;
  Target to;
  Index loaded = -1, reached = -1;  // the last observation that Psi has passed
  const auto have = [&](Index k) {
    if (k != loaded) load(run, k);
    loaded = k;
  };
  const Matrix h = steps_.observed(t.data(), m);
  for (Index j = 0; j < m; ++j) {
    const Index i = interval(t[j]);
    Matrix psi = Matrix::Identity(s, s);
    const auto by = [&](double dt) {
      const StateSteps::Moves a = steps_.moves(Vector::Constant(1, dt));
      for (Index c = 0; c < s; ++c) steps_.move(a, 0, psi.col(c).data());
    };
    if (j > 0 && i == reached) by(t[j] - t[j - 1]);
    if (j > 0 && i > reached) {
      by(times_.t[reached + 1] - t[j - 1]);
      for (Index o = reached + 1; o <= i; ++o) {
        have(o / steps_.run());
        if (o > reached + 1) steps_.move_on(run, o - run.first, psi);
        const Vector k = run.g.col(o - run.first) / run.variance[o - run.first];
        psi -= k * (run.h.col(o - run.first).transpose() * psi).eval();
      }
      by(t[j] - times_.t[i]);
    }
    reached = i;
    have(std::max<Index>(i, 0) / steps_.run());
    const StateSteps::Moves here = steps_.moves(Vector::Constant(1, i >= 0 ? t[j] - times_.t[i] : 0)),
                            there = steps_.moves(Vector::Constant(1, i + 1 < n ? times_.t[i + 1] - t[j] : 0));
    aim(run, loaded, i, here, there, 0, h.col(j).data(), to);
    u.leftCols(j) = (psi * u.leftCols(j)).eval();
    u.col(j) = to.u;
    out.col(j).head(j) = u.leftCols(j).transpose() * to.z;
    out.row(j).head(j) = out.col(j).head(j).transpose();
    out(j, j) = to.variance;
  }
  return out;
}

std::pair<Matrix, Vector> StateSolution::weights(int threads) const {
  const Index n = times_.size();
  Matrix alpha(n, columns_.cols());
  Vector precision(n);
  (void)duals();
  parallel_for(steps_.runs(), threads, [&](Index k) {
    StateRun run;
    load(run, k);
    alpha.middleRows(run.first, run.count) = run.alpha.transpose();
    precision.segment(run.first, run.count) = run.precision;
  });
  return {std::move(alpha), std::move(precision)};
}

Matrix StateSolution::draw_prior(const Vector& t, Index draws, Random& rng) const {
  const Index m = t.size(), s = model_.size;
  constexpr Index some = 256;
  Matrix x = lower_root(steps_.prior_covariance()) * rng.normal(s, draws), out(m, draws);
  for (Index j = 0; j < m; j += some) {
    const Index count = std::min(some, m - j);
    Vector dt = Vector::Zero(count);
    for (Index i = 0; i < count; ++i)
      if (j + i > 0) dt[i] = t[j + i] - t[j + i - 1];
    const StateSteps::Moves a = steps_.moves(dt);
    const Matrix h = steps_.observed(t.data() + j, count);
    for (Index i = 0; i < count; ++i) {
      if (dt[i] > 0) {
        for (Index c = 0; c < draws; ++c) steps_.move(a, i, x.col(c).data());
        for (size_t k = 0; k < model_.terms.size(); ++k) {
          const StateTerm& term = model_.terms[k];
          if (term.decays.empty()) continue;
          const Matrix root = lower_root(Eigen::Map<const Matrix>(a.q[k].col(i).data(), term.d, term.d));
          for (Index f = 0; f < term.q; ++f) {
            const Matrix kick = root * rng.normal(term.d, draws);
            for (Index d = 0; d < term.d; ++d) x.row(term.first + d * term.q + f) += kick.row(d);
          }
        }
      }
      out.row(j + i) = h.col(i).transpose() * x;
    }
  }
  return out;
}

}  // namespace covary::internal
