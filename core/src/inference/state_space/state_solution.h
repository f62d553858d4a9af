// A state space given observations: the posterior of its smoother at any time.
#pragma once
#include <memory>
#include <mutex>

#include "covary/process/repeats.h"
#include "inference/state_space/state_filter.h"

namespace covary::internal {

/// Observations in the order of time, repeats merged.
struct StateData {
  MergedRows merged;
  std::vector<Index> order;  // of the distinct inputs: by time
  StateTimes times;
  Vector noise;                     // of each time, in order
  Matrix columns;                   // y less the known part of the trend, then its basis
  std::vector<Index> kept;          // columns of the basis that do not depend on others
  Index displaced = 0;              // rows that come before one above them
  std::vector<Index> rows() const;  // the first row of each time
};
std::vector<Index> first_alike_in_time(const Rows& x, Index column);
/// Sorts and merges: y (n) less the known part of the trend.
StateData sorted_by_time(const Rows& x, Index column, const std::vector<Index>& alike, const Vector& y,
                         const Vector& variances);

/// The posterior of f at some times: mean of each column, variance without the trend's share.
struct StateMarginals {
  Matrix mean;  // m x c
  Vector variance;
};

class StateSolution {
 public:
  StateSolution(StateModel model, StateTimes times, Matrix columns, Vector noise);
  StateSolution(const StateSolution&) = delete;
  StateSolution& operator=(const StateSolution&) = delete;

  /// The same model and noise with other observations; with later ones.
  std::shared_ptr<const StateSolution> with_columns(Matrix columns) const;
  std::shared_ptr<const StateSolution> with_later(const Vector& t, const Matrix& columns,
                                                  const Vector& noise) const;

  const StateSums& sums() const { return result_.sums; }
  const StateModel& model() const { return model_; }
  const StateTimes& times() const { return times_; }
  const Vector& noise() const { return noise_; }
  const Matrix& columns() const { return columns_; }
  const StateSteps& steps() const { return steps_; }

  /// At ascending times: O(m s^2) and two passes over the runs that they are in.
  StateMarginals predict(const Vector& t) const;
  /// Their covariance without the trend's share, m x m: O(m^2 s^2) and O(s^3) for each time between.
  Matrix covariance(const Vector& t) const;
  /// K^-1 [y F] (n x c) and the diagonal of K^-1.
  std::pair<Matrix, Vector> weights(int threads) const;
  /// `draws` of the prior at ascending times, m x draws.
  Matrix draw_prior(const Vector& t, Index draws, Random& rng) const;

 private:
  struct Continued {};
  StateSolution(Continued, const StateSolution& before, const Vector& t, const Matrix& columns,
                const Vector& noise);
  /// A run with all that predictions need.
  void load(StateRun& run, Index k) const;
  const std::vector<DualState>& duals() const;
  Index interval(double t) const;  // of the last observation not after t, or -1
  struct Target;
  void aim(const StateRun& run, Index k, Index i, const StateSteps::Moves& here,
           const StateSteps::Moves& there, Index at, const double* h, Target& out) const;

  StateModel model_;
  StateTimes times_;
  Matrix columns_;
  Vector noise_;
  StateSteps steps_;
  FilterResult result_;
  mutable std::once_flag looked_back_;
  mutable std::vector<DualState> duals_;
};

}  // namespace covary::internal
