// The Kalman filter and the smoother of a state space, in runs of steps.
//
// Forwards, with P = Q + A P A' and m = A m predicted, and h = h(t_i):
//
//   g = P h,  S = h'g + r,  e = y - h'm,  k = g/S:   m + k e,  P - k g'      log p(y) = -1/2 sum (log 2 pi S + e^2/S)
//
// Backwards, from zeros, lambda and Lambda (the score of later observations in the state, and its information):
//
//   v = Lambda k,  c = 1/S + k'v,  a = e/S + k'lambda
//   lambda - h a,  Lambda - h v' - v h' + c h h',   then A'lambda, A'Lambda A
//
// so that m - P lambda and P - P Lambda P are the smoothed state (Bryson and Frazier: nothing is inverted, a state without
// noise is no special case), a = (K^-1 y)_i and c = (K^-1)_ii. Only the state at the beginning of each run is kept.
#pragma once
#include <cstdint>
#include <vector>

#include "covary/algebra/qr_triangle.h"
#include "inference/state_space/state_decay.h"

namespace covary::internal {

/// Times in ascending order. Where steps repeat, their transitions are computed once.
struct StateTimes {
  Vector t;                         // n
  Vector steps;                     // distinct ones; empty: all differ
  std::vector<std::int32_t> which;  // n: of these
  double origin = 0;                // of the phases of features

  StateTimes() = default;
  explicit StateTimes(Vector ascending);
  StateTimes with(const Vector& later) const;
  Index size() const { return t.size(); }
};

/// A filtered state: its covariance (s x s) and the means of c columns (s x c).
struct FilteredState {
  Matrix p, m;
};

/// lambda (s x c) and Lambda (s x s).
struct DualState {
  Matrix lambda, information;
};

/// One run of steps: inputs and results of both recursions.
struct StateRun {
  Index first = 0, count = 0, s = 0, c = 0;
  std::vector<const double*> a,
      q;  // of each term with decays: transitions, by `which` or one after the other
  std::vector<std::int32_t> which;       // count + 1
  std::vector<std::vector<double>> own;  // their storage
  Vector step;                           // count + 1: dt into each and into the one after the run
  Matrix h;                              // s x count
  Vector noise;                          // count
  Matrix y;                              // c x count
  Matrix p, m, g;                        // predicted: s s x count, s c x count; P h: s x count
  Matrix filtered_p, filtered_m;         // after each step, if kept
  Vector variance;                       // count: S
  Matrix e;                              // c x count
  Matrix lambda, information;            // after each step of the way back, if kept
  Matrix alpha;                          // c x count
  Vector precision;                      // count: c
  bool keep = false;                     // the four that only predictions need
};

/// The estimate of the trend (columns 2, ..., c), and the density of the first column.
struct StateSums {
  Index n = 0;
  double log_variance = 0;
  Triangle trend{0};
  bool singular = false;
  double log_density() const;  // with the trend at its estimate
  Vector beta() const;
};

/// sum_i of slopes, from a run of one column.
struct StateSlopes {
  Vector theta;
  double log_noise = 0;       // of a common factor of the noise
  std::vector<Matrix> drift;  // of each term: sum dt E, d x d
};

/// A model at given times: runs, without data.
class StateSteps {
 public:
  StateSteps(const StateModel& model, const StateTimes& times);
  Index run() const { return run_; }
  Index runs() const { return (times_.size() + run_ - 1) / run_; }
  const StateModel& model() const { return model_; }
  const StateTimes& times() const { return times_; }

  FilteredState prior(Index columns) const { return {stationary_, Matrix::Zero(model_.size, columns)}; }
  DualState nothing(Index columns) const;

  /// Transitions, h, data of a run from row `first`. columns (n x c), noise (n).
  void load(StateRun& run, Index first, Index count, const Matrix& columns, const Vector& noise) const;
  /// From the state before the run to that at its end; false if an S is no variance.
  bool forwards(StateRun& run, FilteredState& state) const;
  /// From the state after the run; the other way. `slopes` of one column.
  void backwards(StateRun& run, DualState& state, StateSlopes* slopes) const;
  /// theta from sums that all runs have left.
  void finish(StateSlopes& slopes) const;

  const Matrix& prior_covariance() const { return stationary_; }
  /// A and Q of each term at m steps: d d x m.
  struct Moves {
    std::vector<Matrix> a, q;
  };
  Moves moves(const Vector& dt) const;
  /// x <- A x or A'x (s), with column i of the moves, or of step i of a run, of each column of x.
  void move(const Moves& by, Index i, double* x, bool transposed = false) const;
  void move_on(const StateRun& run, Index i, Matrix& x, bool transposed = false) const;
  /// y <- y + Q x.
  void add_noise(const Moves& by, Index i, const double* x, double* y) const;
  /// h'P h at m times, before any observation.
  Vector prior_variance(const Vector& t) const {
    return observed(t.data(), t.size()).colwise().squaredNorm();
  }
  /// h at m times: s x m.
  Matrix observed(const double* t, Index m) const;

 private:
  template <int S>
  bool forwards_of(StateRun& run, FilteredState& state) const;
  template <int S>
  void backwards_of(StateRun& run, DualState& state, StateSlopes* slopes) const;
  bool forwards_any(StateRun& run, FilteredState& state) const;
  void backwards_any(StateRun& run, DualState& state, StateSlopes* slopes) const;
  void add_feature_slopes(const StateRun& run, const Matrix& by_h, StateSlopes& slopes) const;
  bool single() const;
  template <class Blocks>
  void apply(const Blocks& block, double* x, bool transposed) const;

  const StateModel& model_;
  const StateTimes& times_;
  Index run_;
  Matrix stationary_;
  std::vector<std::vector<double>> a_, q_;  // of each term, at the distinct steps
};

/// The filter over all runs. columns: the observations, then the trend's basis.
struct FilterResult {
  std::vector<FilteredState> starts;  // before each run
  FilteredState end;
  StateSums sums;
};
FilterResult filtered(const StateSteps& steps, const Matrix& columns, const Vector& noise, int threads = 1);
/// The same with rows from `from` on after an earlier result.
void filter_on(const StateSteps& steps, const Matrix& columns, const Vector& noise, Index from,
               FilterResult& result, int threads = 1);

/// Before each run and after the last, seen from behind.
std::vector<DualState> smoothed(const StateSteps& steps, const Matrix& columns, const Vector& noise,
                                const FilterResult& filtered);

/// The slopes of the log density with the trend at its estimate.
StateSlopes state_slopes(const StateSteps& steps, const Matrix& columns, const Vector& noise,
                         const FilterResult& filtered, int threads = 1);

}  // namespace covary::internal
