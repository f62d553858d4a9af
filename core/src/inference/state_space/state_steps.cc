// Times, transitions and features of a state space in runs, and sums of slopes, for both recursions.
#include <algorithm>
#include <array>

#include "inference/state_space/state_filter.h"

namespace covary::internal {

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

}  // namespace covary::internal
