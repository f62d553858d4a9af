// The recursions of state_filter.h over one run: for one Matern process with its number of states known to the compiler,
// and for states in general.
#include <algorithm>
#include <cmath>

#include "inference/state_space/state_filter.h"

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

bool StateSteps::single() const {
  return model_.terms.size() == 1 && model_.terms[0].decays.size() == 1 && model_.terms[0].q == 1 &&
         model_.size <= 3;
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

}  // namespace covary::internal
