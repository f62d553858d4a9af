#include "inference/state_space/state_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "covary/base/parallel.h"

namespace covary::internal {
namespace {

template <int S>
using StateSquare = Eigen::Matrix<double, S, S>;
template <int S>
using StateColumn = Eigen::Matrix<double, S, 1>;

using ConstMap = Eigen::Map<const Matrix>;
using MapVector = Eigen::Map<Vector>;

/// A variance that is rounding alone: of states without noise, seen often enough to be known.
constexpr double least_variance = 1e-14;

void make_symmetric(Matrix& a) {
  for (Index j = 0; j < a.rows(); ++j)
    for (Index k = j + 1; k < a.rows(); ++k) a(j, k) = a(k, j) = 0.5 * (a(j, k) + a(k, j));
}

}  // namespace

StateTimes::StateTimes(Vector ascending) : t(std::move(ascending)) {
  const Index n = t.size();
  if (n == 0) return;
  origin = t[0];
  std::vector<double> all(static_cast<size_t>(n - 1));
  for (Index i = 1; i < n; ++i) all[static_cast<size_t>(i - 1)] = t[i] - t[i - 1];
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (std::ssize(all) > std::max<Index>(16, n / 16)) return;
  if (all.empty()) all.push_back(0);
  steps = Eigen::Map<const Vector>(all.data(), std::ssize(all));
  which.resize(static_cast<size_t>(n));
  for (Index i = 1; i < n; ++i)
    which[static_cast<size_t>(i)] =
        std::int32_t(std::lower_bound(all.begin(), all.end(), t[i] - t[i - 1]) - all.begin());
}

StateTimes StateTimes::with(const Vector& later) const {
  StateTimes out;
  out.t = concat(t, later), out.origin = origin;
  if (t.size() == 0) return StateTimes(later);
  if (steps.size() == 0) return out;
  out.steps = steps, out.which = which;
  for (Index i = t.size(); i < out.t.size(); ++i) {
    const double dt = out.t[i] - out.t[i - 1];
    Index at = std::find(out.steps.begin(), out.steps.end(), dt) - out.steps.begin();
    if (at == out.steps.size()) out.steps = concat(out.steps, Vector::Constant(1, dt));
    out.which.push_back(std::int32_t(at));
  }
  return out;
}

double StateSums::log_density() const {
  if (singular || !std::isfinite(log_variance) || !std::isfinite(trend.rest))
    return -std::numeric_limits<double>::infinity();
  return -0.5 * (double(n) * std::log(2 * std::numbers::pi) + log_variance + trend.rest);
}

Vector StateSums::beta() const { return trend.r.triangularView<Eigen::Upper>().solve(trend.z); }

StateSteps::StateSteps(const StateModel& model, const StateTimes& times)
    : model_(model),
      times_(times),
      run_(std::clamp<Index>(4096 / (model.size * model.size), 32, 256)),
      stationary_(stationary(model)) {
  if (times.steps.size() == 0) return;
  const Index m = times.steps.size();
  for (const StateTerm& t : model.terms) {
    a_.emplace_back(t.decays.empty() ? 0 : static_cast<size_t>(t.d * t.d * m));
    q_.emplace_back(a_.back().size());
    if (!t.decays.empty()) transitions(t, times.steps.data(), m, a_.back().data(), q_.back().data());
  }
}

bool StateSteps::single() const {
  return model_.terms.size() == 1 && model_.terms[0].decays.size() == 1 && model_.terms[0].q == 1 &&
         model_.size <= 3;
}

DualState StateSteps::nothing(Index columns) const {
  return {Matrix::Zero(model_.size, columns), Matrix::Zero(model_.size, model_.size)};
}

Matrix StateSteps::observed(const double* t, Index m) const {
  Matrix h = Matrix::Zero(model_.size, m);
  for (const StateTerm& term : model_.terms)
    h.middleRows(term.first, term.q) = features(term, t, m, times_.origin);
  return h;
}

void StateSteps::load(StateRun& run, Index first, Index count, const Matrix& columns,
                      const Vector& noise) const {
  const Index s = model_.size, c = columns.cols(), n = times_.size(), more = std::min(count + 1, n - first);
  run.first = first, run.count = count, run.s = s, run.c = c;
  run.step.resize(more);
  for (Index i = 0; i < more; ++i)
    run.step[i] = first + i == 0 ? 0 : times_.t[first + i] - times_.t[first + i - 1];
  const size_t terms = model_.terms.size();
  run.a.assign(terms, nullptr), run.q.assign(terms, nullptr);
  run.which.resize(static_cast<size_t>(more));
  const bool table = times_.steps.size() > 0;
  for (Index i = 0; i < more; ++i)
    run.which[static_cast<size_t>(i)] =
        table ? times_.which[static_cast<size_t>(first + i)] : std::int32_t(i);
  run.own.resize(2 * terms);
  for (size_t k = 0; k < terms; ++k) {
    const StateTerm& t = model_.terms[k];
    if (t.decays.empty()) continue;
    if (!table) {
      const auto size = static_cast<size_t>(t.d * t.d * more);
      run.own[2 * k].resize(size), run.own[2 * k + 1].resize(size);
      transitions(t, run.step.data(), more, run.own[2 * k].data(), run.own[2 * k + 1].data());
    }
    run.a[k] = table ? a_[k].data() : run.own[2 * k].data();
    run.q[k] = table ? q_[k].data() : run.own[2 * k + 1].data();
  }
  run.h = observed(times_.t.data() + first, count);
  run.noise = noise.segment(first, count);
  run.y = columns.middleRows(first, count).transpose();
  run.p.resize(s * s, count), run.m.resize(s * c, count), run.g.resize(s, count);
  run.variance.resize(count), run.e.resize(c, count), run.alpha.resize(c, count), run.precision.resize(count);
  if (!run.keep) return;
  run.filtered_p.resize(s * s, count), run.filtered_m.resize(s * c, count);
  run.information.resize(s * s, count), run.lambda.resize(s * c, count);
}

/// x <- A x or A'x: `block(k)` is that of term k.
template <class Blocks>
void StateSteps::apply(const Blocks& block, double* x, bool transposed) const {
  std::array<double, most_states> old;
  for (size_t k = 0; k < model_.terms.size(); ++k) {
    const StateTerm& t = model_.terms[k];
    if (t.decays.empty()) continue;
    const double* a = block(k);
    for (Index f = 0; f < t.q; ++f) {
      double* at = x + t.first + f;
      for (Index j = 0; j < t.d; ++j) old[static_cast<size_t>(j)] = at[j * t.q];
      for (Index j = 0; j < t.d; ++j) {
        double sum = 0;
        for (Index l = 0; l < t.d; ++l)
          sum += (transposed ? a[j * t.d + l] : a[l * t.d + j]) * old[static_cast<size_t>(l)];
        at[j * t.q] = sum;
      }
    }
  }
}

bool StateSteps::forwards(StateRun& run, FilteredState& state) const {
  if (single() && model_.size == 1) return forwards_of<1>(run, state);
  if (single() && model_.size == 2) return forwards_of<2>(run, state);
  if (single() && model_.size == 3) return forwards_of<3>(run, state);
  return forwards_any(run, state);
}

void StateSteps::backwards(StateRun& run, DualState& state, StateSlopes* slopes) const {
  if (single() && model_.size == 1) return backwards_of<1>(run, state, slopes);
  if (single() && model_.size == 2) return backwards_of<2>(run, state, slopes);
  if (single() && model_.size == 3) return backwards_of<3>(run, state, slopes);
  backwards_any(run, state, slopes);
}

/// One Matern process: h is a multiple of the first unit vector, and what it sees shrinks by r/S without cancelling.
template <int S>
bool StateSteps::forwards_of(StateRun& run, FilteredState& state) const {
  const Index c = run.c;
  StateSquare<S> p = state.p;
  Eigen::Matrix<double, S, Eigen::Dynamic> m = state.m;
  for (Index i = 0; i < run.count; ++i) {
    if (run.first + i > 0) {
      const auto at = run.which[static_cast<size_t>(i)];
      const Eigen::Map<const StateSquare<S>> a(run.a[0] + at * S * S), q(run.q[0] + at * S * S);
      const StateSquare<S> half = a * p;
      for (int j = 0; j < S; ++j)
        for (int k = j; k < S; ++k) {
          double sum = q(k, j);
          for (int l = 0; l < S; ++l) sum += half(k, l) * a(j, l);
          p(k, j) = p(j, k) = sum;
        }
      for (Index j = 0; j < c; ++j) m.col(j) = (a * StateColumn<S>(m.col(j))).eval();
    }
    const double h = run.h(0, i), r = run.noise[i];
    Eigen::Map<StateSquare<S>>(run.p.col(i).data()) = p;
    const StateColumn<S> g = h * p.col(0);
    run.g.col(i) = g;
    const double variance = h * g[0] + r;
    run.variance[i] = variance;
    if (!(variance > 0) || !std::isfinite(variance)) return false;
    const double inverse = 1 / variance, left = r * inverse;
    for (Index j = 0; j < c; ++j) {
      run.m.col(i).template segment<S>(j * S) = m.col(j);
      const double e = run.y(j, i) - h * m(0, j);
      run.e(j, i) = e;
      m.col(j) += (e * inverse) * g;
    }
    for (int k = 1; k < S; ++k) {
      for (int j = 1; j < S; ++j) p(k, j) -= g[k] * g[j] * inverse;
      p(k, 0) *= left, p(0, k) = p(k, 0);
    }
    p(0, 0) *= left;
    if (!run.keep) continue;
    Eigen::Map<StateSquare<S>>(run.filtered_p.col(i).data()) = p;
    for (Index j = 0; j < c; ++j) run.filtered_m.col(i).template segment<S>(j * S) = m.col(j);
  }
  std::copy(p.data(), p.data() + S * S, state.p.data());
  std::copy(m.data(), m.data() + S * c, state.m.data());
  return true;
}

template <int S>
void StateSteps::backwards_of(StateRun& run, DualState& state, StateSlopes* slopes) const {
  const Index c = run.c;
  StateSquare<S> info = state.information;
  Eigen::Matrix<double, S, Eigen::Dynamic> lambda = state.lambda;
  const StateSquare<S> prior = stationary_;
  StateSquare<S> drift = StateSquare<S>::Zero();
  double by_h = 0, by_noise = 0;
  const double rate = model_.terms[0].decays[0].rate;
  for (Index i = run.count - 1; i >= 0; --i) {
    if (i + 1 < run.step.size()) {
      const Eigen::Map<const StateSquare<S>> a(run.a[0] + run.which[static_cast<size_t>(i + 1)] * S * S);
      const StateSquare<S> half = info * a;
      for (int j = 0; j < S; ++j)
        for (int k = j; k < S; ++k) {
          double sum = 0;
          for (int l = 0; l < S; ++l) sum += a(l, k) * half(l, j);
          info(k, j) = info(j, k) = sum;
        }
      for (Index j = 0; j < c; ++j) lambda.col(j) = (a.transpose() * StateColumn<S>(lambda.col(j))).eval();
    }
    const double inverse = 1 / run.variance[i], h = run.h(0, i);
    const StateColumn<S> k = inverse * run.g.col(i).template head<S>(), v = info * k;
    const double precision = inverse + k.dot(v);
    run.precision[i] = precision;
    for (Index j = 0; j < c; ++j) {
      const double alpha = run.e(j, i) * inverse + k.dot(lambda.col(j));
      run.alpha(j, i) = alpha;
      lambda(0, j) -= h * alpha;
    }
    for (int j = 0; j < S; ++j) info(j, 0) -= h * v[j];
    for (int j = 0; j < S; ++j) info(0, j) -= h * v[j];
    info(0, 0) += h * h * precision;
    if (run.keep) {
      Eigen::Map<StateSquare<S>>(run.information.col(i).data()) = info;
      for (Index j = 0; j < c; ++j) run.lambda.col(i).template segment<S>(j * S) = lambda.col(j);
    }
    if (!slopes) continue;
    const double alpha = run.alpha(0, i);
    const Eigen::Map<const StateSquare<S>> p(run.p.col(i).data());
    const StateColumn<S> l = lambda.col(0), seen = run.m.col(i).template head<S>() - p * l;
    by_noise += run.noise[i] * (alpha * alpha - precision);
    by_h += h * (alpha * seen[0] - (h * precision * p(0, 0) - p.row(0).dot(v)));
    if (run.first + i > 0 && rate * run.step[i] < farthest_step) {
      const StateSquare<S> learned = p - prior;
      const StateColumn<S> w = run.m.col(i).template head<S>() - learned * l;
      drift += run.step[i] * (w * l.transpose() + learned * info);
    }
  }
  std::copy(info.data(), info.data() + S * S, state.information.data());
  std::copy(lambda.data(), lambda.data() + S * c, state.lambda.data());
  if (!slopes) return;
  slopes->log_noise += 0.5 * by_noise;
  for (int k = 0; k < S * S; ++k) slopes->drift[0].data()[k] += drift.data()[k];
  const StateTerm& term = model_.terms[0];
  for (const Index slot : term.slots) slopes->theta[slot] += 0.5 * by_h;
  for (const StateFeature& f : term.features)  // linear ones: h falls with their length-scales
    if (f.unit_slot >= 0) slopes->theta[f.unit_slot] -= by_h;
}

/// States in general; A is a block for each term with decays, and the same for each of its features.
bool StateSteps::forwards_any(StateRun& run, FilteredState& state) const {
  const Index s = run.s, c = run.c;
  Matrix& p = state.p;
  Matrix& m = state.m;
  Vector w(s);
  for (Index i = 0; i < run.count; ++i) {
    if (run.first + i > 0) {
      move_on(run, i, p);
      p.transposeInPlace();
      move_on(run, i, p);
      move_on(run, i, m);
      for (size_t k = 0; k < model_.terms.size(); ++k) {
        const StateTerm& t = model_.terms[k];
        if (t.decays.empty()) continue;
        const double* q = run.q[k] + run.which[static_cast<size_t>(i)] * t.d * t.d;
        for (Index x = 0; x < t.d; ++x)
          for (Index y = 0; y < t.d; ++y)
            for (Index f = 0; f < t.q; ++f) p(t.first + x * t.q + f, t.first + y * t.q + f) += q[y * t.d + x];
      }
      make_symmetric(p);
    }
    const auto h = run.h.col(i);
    const double r = run.noise[i];
    MapVector(run.p.col(i).data(), s * s) = MapVector(p.data(), s * s);
    MapVector(run.m.col(i).data(), s * c) = MapVector(m.data(), s * c);
    auto g = run.g.col(i);
    g.setZero();
    for (Index j = 0; j < s; ++j)
      if (h[j] != 0) g += h[j] * p.col(j);
    const double variance = h.dot(g) + r;
    run.variance[i] = variance;
    double size = r;  // h'P h before any observation, and r
    for (const StateTerm& t : model_.terms) size += h.segment(t.first, t.q).squaredNorm();
    if (!(variance > least_variance * size) || !std::isfinite(variance)) return false;
    const double inverse = 1 / variance;
    for (Index j = 0; j < c; ++j) {
      const double e = run.y(j, i) - h.dot(m.col(j));
      run.e(j, i) = e;
      m.col(j) += (e * inverse) * g;
    }
    for (Index j = 0; j < s; ++j) {
      const double k = g[j] * inverse;
      for (Index l = 0; l < s; ++l) p(l, j) -= k * g[l];
    }
    // B = P - k g' has B h = r k but for rounding, w = B h - r k: (1 - k h') B (1 - h k') + r k k' (Joseph's form)
    w.setZero();
    for (Index j = 0; j < s; ++j)
      if (h[j] != 0) w += h[j] * p.col(j);
    w -= (r * inverse) * g;
    const double rest = h.dot(w);
    for (Index j = 0; j < s; ++j) {
      const double k = g[j] * inverse, wj = w[j] - 0.5 * rest * k;
      for (Index l = 0; l < s; ++l) {
        const double kl = g[l] * inverse;
        p(l, j) -= (w[l] - 0.5 * rest * kl) * k + kl * wj;
      }
    }
    if (!run.keep) continue;
    MapVector(run.filtered_p.col(i).data(), s * s) = MapVector(p.data(), s * s);
    MapVector(run.filtered_m.col(i).data(), s * c) = MapVector(m.data(), s * c);
  }
  return true;
}

void StateSteps::backwards_any(StateRun& run, DualState& state, StateSlopes* slopes) const {
  const Index s = run.s, c = run.c;
  Matrix &info = state.information, &lambda = state.lambda;
  Vector k(s), v(s), seen(s), u(s);
  Matrix by_h = slopes ? Matrix::Zero(s, run.count) : Matrix();
  for (Index i = run.count - 1; i >= 0; --i) {
    if (i + 1 < run.step.size()) {
      move_on(run, i + 1, info, true);
      info.transposeInPlace();
      move_on(run, i + 1, info, true);
      make_symmetric(info);
      move_on(run, i + 1, lambda, true);
    }
    const auto h = run.h.col(i);
    const double inverse = 1 / run.variance[i];
    k = inverse * run.g.col(i);
    v.setZero();
    for (Index j = 0; j < s; ++j) v += k[j] * info.col(j);
    const double precision = inverse + k.dot(v);
    run.precision[i] = precision;
    for (Index j = 0; j < c; ++j) {
      const double alpha = run.e(j, i) * inverse + k.dot(lambda.col(j));
      run.alpha(j, i) = alpha;
      lambda.col(j) -= alpha * h;
    }
    for (Index j = 0; j < s; ++j) {
      const double hj = h[j], wj = v[j] - precision * hj;
      for (Index l = 0; l < s; ++l) info(l, j) -= h[l] * wj + v[l] * hj;
    }
    if (run.keep) {
      MapVector(run.information.col(i).data(), s * s) = MapVector(info.data(), s * s);
      MapVector(run.lambda.col(i).data(), s * c) = MapVector(lambda.data(), s * c);
    }
    if (!slopes) continue;
    const double alpha = run.alpha(0, i);
    const ConstMap p(run.p.col(i).data(), s, s);
    seen = run.m.col(i);
    for (Index j = 0; j < s; ++j) seen -= lambda(j, 0) * p.col(j);
    u = precision * h - v;
    by_h.col(i) = alpha * seen;
    for (Index j = 0; j < s; ++j) by_h.col(i) -= u[j] * p.col(j);
    slopes->log_noise += 0.5 * run.noise[i] * (alpha * alpha - precision);
    if (run.first + i == 0) continue;
    for (size_t x = 0; x < model_.terms.size();
         ++x) {  // E = (x_s + P0 l) l' + (P - P0) Lambda, of the term itself
      const StateTerm& t = model_.terms[x];
      if (t.decays.empty() || !(t.fastest() * run.step[i] < farthest_step)) continue;
      Matrix& to = slopes->drift[x];
      for (Index f = 0; f < t.q; ++f)
        for (Index b = 0; b < t.d; ++b) {
          const Index row = t.first + b * t.q + f;
          double w = seen[row];
          for (Index d = 0; d < t.d; ++d)
            w += stationary_(row, t.first + d * t.q + f) * lambda(t.first + d * t.q + f, 0);
          for (Index a = 0; a < t.d; ++a) {
            const Index col = t.first + a * t.q + f;
            double sum = w * lambda(col, 0) + p.col(row).dot(info.col(col));
            for (Index d = 0; d < t.d; ++d) {
              const Index other = t.first + d * t.q + f;
              sum -= stationary_(row, other) * info(other, col);
            }
            to(b, a) += run.step[i] * sum;
          }
        }
    }
  }
  if (slopes) add_feature_slopes(run, by_h, *slopes);
}

/// by_h: s x count, the slopes in h.
void StateSteps::add_feature_slopes(const StateRun& run, const Matrix& by_h, StateSlopes& slopes) const {
  for (const StateTerm& t : model_.terms) {
    if (!t.slots.empty()) {
      const double sum = by_h.middleRows(t.first, t.q).cwiseProduct(run.h.middleRows(t.first, t.q)).sum();
      for (const Index slot : t.slots) slopes.theta[slot] += 0.5 * sum;
    }
    if (t.features.empty()) continue;
    std::vector<FeatureSlopes> found;
    features(t, times_.t.data() + run.first, run.count, times_.origin, &found);
    for (const FeatureSlopes& f : found)
      slopes.theta[f.slot] += by_h.middleRows(t.first, t.q).cwiseProduct(f.values).sum();
  }
}

/// The slope in log rate k is -sum dt tr(F_k E), that of the length-scale its negative.
void StateSteps::finish(StateSlopes& slopes) const {
  for (size_t x = 0; x < model_.terms.size(); ++x) {
    const StateTerm& t = model_.terms[x];
    for (size_t k = 0; k < t.decays.size(); ++k)
      if (t.decays[k].slot >= 0)
        slopes.theta[t.decays[k].slot] += drift(t, k).transpose().cwiseProduct(slopes.drift[x]).sum();
  }
}

StateSteps::Moves StateSteps::moves(const Vector& dt) const {
  Moves out;
  for (const StateTerm& t : model_.terms) {
    const Index size = t.decays.empty() ? 0 : t.d * t.d;
    out.a.emplace_back(size, dt.size()), out.q.emplace_back(size, dt.size());
    if (size) transitions(t, dt.data(), dt.size(), out.a.back().data(), out.q.back().data());
  }
  return out;
}

void StateSteps::move(const Moves& by, Index i, double* x, bool transposed) const {
  apply([&](size_t k) { return by.a[k].data() + i * by.a[k].rows(); }, x, transposed);
}

void StateSteps::move_on(const StateRun& run, Index i, Matrix& x, bool transposed) const {
  const auto block = [&](size_t k) {
    return run.a[k] + run.which[static_cast<size_t>(i)] * model_.terms[k].d * model_.terms[k].d;
  };
  for (Index j = 0; j < x.cols(); ++j) apply(block, x.col(j).data(), transposed);
}

void StateSteps::add_noise(const Moves& by, Index i, const double* x, double* y) const {
  for (size_t k = 0; k < model_.terms.size(); ++k) {
    const StateTerm& t = model_.terms[k];
    if (t.decays.empty()) continue;
    const double* q = by.q[k].col(i).data();
    for (Index f = 0; f < t.q; ++f)
      for (Index j = 0; j < t.d; ++j) {
        double sum = 0;
        for (Index l = 0; l < t.d; ++l) sum += q[l * t.d + j] * x[t.first + l * t.q + f];
        y[t.first + j * t.q + f] += sum;
      }
  }
}

namespace {

constexpr Index runs_at_once = 32;  // whose parts that need no state are had across threads

}  // namespace

void filter_on(const StateSteps& steps, const Matrix& columns, const Vector& noise, Index from,
               FilterResult& result, int threads) {
  const Index n = columns.rows(), p = columns.cols() - 1, length = steps.run();
  StateSums& sums = result.sums;
  const Index at_once = threads > 1 ? runs_at_once : 1;
  std::vector<StateRun> runs(static_cast<size_t>(at_once));
  for (Index k = from / length; k * length < n && !sums.singular; k += at_once) {
    const Index count = std::min(at_once, (n - k * length + length - 1) / length);
    parallel_for(count, threads, [&](Index i) {
      const Index first = std::max(from, (k + i) * length);
      steps.load(runs[static_cast<size_t>(i)], first, std::min((k + i + 1) * length, n) - first, columns,
                 noise);
    });
    for (Index i = 0; i < count; ++i) {
      StateRun& run = runs[static_cast<size_t>(i)];
      if (run.first % length == 0) result.starts.push_back(result.end);
      if (!steps.forwards(run, result.end)) {
        sums.singular = true;
        return;
      }
      sums.log_variance += run.variance.array().log().sum();
      const Vector root = run.variance.cwiseSqrt().cwiseInverse();
      if (p == 0)
        sums.trend.rest += run.e.row(0).transpose().cwiseProduct(root).squaredNorm();
      else
        sums.trend = sums.trend.with(root.asDiagonal() * run.e.bottomRows(p).transpose(),
                                     Vector(run.e.row(0).transpose().cwiseProduct(root)));
    }
  }
  sums.n = n;
}

FilterResult filtered(const StateSteps& steps, const Matrix& columns, const Vector& noise, int threads) {
  FilterResult out;
  out.end = steps.prior(columns.cols());
  out.sums.trend = Triangle(columns.cols() - 1);
  out.starts.reserve(static_cast<size_t>(steps.runs()));
  filter_on(steps, columns, noise, 0, out, threads);
  return out;
}

std::vector<DualState> smoothed(const StateSteps& steps, const Matrix& columns, const Vector& noise,
                                const FilterResult& filtered) {
  std::vector<DualState> out(static_cast<size_t>(steps.runs()) + 1);
  DualState state = steps.nothing(columns.cols());
  StateRun run;
  out.back() = state;
  for (Index k = steps.runs() - 1; k >= 0; --k) {
    const Index first = k * steps.run();
    FilteredState begin = filtered.starts[static_cast<size_t>(k)];
    steps.load(run, first, std::min(steps.run(), columns.rows() - first), columns, noise);
    steps.forwards(run, begin);
    steps.backwards(run, state, nullptr);
    out[static_cast<size_t>(k)] = state;
  }
  return out;
}

StateSlopes state_slopes(const StateSteps& steps, const Matrix& columns, const Vector& noise,
                         const FilterResult& filtered, int threads) {
  const StateModel& model = steps.model();
  StateSlopes out{Vector::Zero(model.parameters), 0, {}};
  for (const StateTerm& t : model.terms) out.drift.push_back(Matrix::Zero(t.d, t.d));
  Vector b = Vector::Ones(columns.cols());
  b.tail(columns.cols() - 1) = -filtered.sums.beta();
  const Matrix residual = columns * b;
  DualState state = steps.nothing(1);
  const Index at_once = threads > 1 ? runs_at_once : 1, length = steps.run();
  std::vector<StateRun> runs(static_cast<size_t>(at_once));
  for (Index end = steps.runs(); end > 0; end -= at_once) {  // runs from `begin` to `end`, the last one first
    const Index begin = std::max<Index>(0, end - at_once);
    parallel_for(end - begin, threads, [&](Index i) {
      StateRun& run = runs[static_cast<size_t>(i)];
      const Index first = (begin + i) * length;
      const FilteredState& start = filtered.starts[static_cast<size_t>(begin + i)];
      FilteredState from{start.p, start.m * b};
      steps.load(run, first, std::min(length, columns.rows() - first), residual, noise);
      steps.forwards(run, from);
    });
    for (Index i = end - begin - 1; i >= 0; --i) steps.backwards(runs[static_cast<size_t>(i)], state, &out);
  }
  steps.finish(out);
  return out;
}

}  // namespace covary::internal
