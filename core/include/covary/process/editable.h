// A posterior that is edited in place: points are added, removed and changed at O(n^2) each instead of O(n^3) for
// a refit.
//
//   EditableProcess<Row> g(Process<Row>(matern52(0.3), constant_mean<Row>(), Noise::of(0.01)));
//   g.add(x, y);                    // measured
//   Index first = g.pend(next);     // pending: the variance counts them, the mean does not yet
//   g.tell(first, 1.7);             // ... and one has arrived
//   g.remove(0), g.retarget(3, 2.5), g.renoise(3, 0.1);
//   Marginals there = g.predict(at);
//   Process<Row> now = g.process(); // as it is now, immutable
//
// Points stand in a row like the elements of a vector: new ones at the end, and after remove(i) those behind
// i move up by one. Pending points are numbered apart, in the same way.
//
// Equal to conditioning from scratch to rounding. Two differences: repeated inputs are rows of their own (an
// exact repeat without noise is refused), and the kernel is used as a whole, so that a linear kernel on
// inputs with huge offsets has the accuracy of its plain values.
//
// An edit either happens or throws and leaves everything as it was. Any number of threads may read at once.
#pragma once
#include <mutex>

#include "covary/process/editable_solution.h"
#include "covary/process/process.h"

namespace covary {

struct EditableOptions {
  Index check_every = 16;    // edits between two looks at the residual
  double tolerance = 1e-10;  // of L L' - K, in units of the variances: past it the factor is made anew
  int threads = 0;
};

/// What has been done so far.
struct Edits {
  Index added = 0, removed = 0, retargeted = 0, renoised = 0, pended = 0, told = 0, withdrawn = 0;  // points
  Index rebuilt = 0;          // factorizations from scratch after the first: drift, or a loss of accuracy
  double worst_residual = 0;  // seen by the checks
  double jitter = 0;          // on the diagonal now, as Conditioning has it; 0 almost always
  double seconds = 0;         // in edits
};

template <class X>
class EditableProcess {
 public:
  /// Kernel, mean and noise of a process; if it is a posterior its observations too (n^3/3 flops).
  explicit EditableProcess(const Process<X>& process, EditableOptions options = {});

  /// Observations y at x, behind the others; the number of the first. The noise is the process's, or one
  /// variance each. O(n^2) a point.
  Index add(Batch<X> x, const Vector& y);
  Index add(Batch<X> x, const Vector& y, const Vector& variances);
  void remove(Index i);
  void retarget(Index i, double y);
  void renoise(Index i, double variance);

  /// Points that will be measured, behind the other pending ones; the number of the first. O(n^2) a point.
  Index pend(Batch<X> x);
  Index pend(Batch<X> x, const Vector& variances);
  /// Pending point j was measured: it becomes the last of the measured ones. O(n).
  void tell(Index j, double y);
  void withdraw(Index j);

  Vector mean(Batch<X> at) const;                       // O(n) a point after the first
  Vector variance(Batch<X> at, Of of = Of::f) const;    // O(n^2) a point
  Marginals predict(Batch<X> at, Of of = Of::f) const;  // both
  Gaussian joint(Batch<X> at, Of of = Of::f) const;     // of m components
  /// n: the variance of f at each measured point from all others. The least is the most redundant. n^3/3
  /// flops.
  Vector redundancy() const;
  /// n x n: the inverse covariance of the measured points, less what their trend takes; its diagonal is one
  /// over their variances (noise included) from all others. 2n^3/3 flops.
  Matrix precision() const { return covary::internal::precision(solution_, options_.threads); }
  double log_evidence() const;  // of the measured points, trend at its estimate; 0 without any
  /// The measured points as a process: no factorization unless inputs repeat.
  Process<X> process() const;

  Index size() const { return now_.y.size(); }
  Index pending() const { return now_.pending_variances.size(); }
  Batch<X> points() const { return Batch<X>(now_.x); }
  Batch<X> pending_points() const { return Batch<X>(now_.pending_x); }
  const Vector& targets() const { return now_.y; }
  const Vector& variances() const { return now_.variances; }
  const Edits& edits() const { return edits_; }

 private:
  struct Data {
    Points<X> x, pending_x;
    Vector y, variances, pending_variances;
  };
  struct Lazy {  // made when it is first asked for
    std::once_flag trended, weighted, spreaded;
    internal::EditableTrend trend;
    Vector alpha;
    internal::EditableSpread spread;
  };
  struct Edit {                  // what an edit needs so that nothing can fail once it has happened
    double begin = 0, size = 0;  // seconds; |L^-1 y|
    std::shared_ptr<Lazy> lazy;
    Data next;
  };
  Edit start() const;
  void finish(Edit edit, Index edited);
  /// The edit by a factorization from scratch.
  void remake(const Data& next);
  internal::EditableSolution solved(const Data& data, double& jitter) const;
  void check_drift(Index edited);
  double drift(Index edited) const;

  Vector usual_noise(Index n) const;
  void check_new(Batch<X> x, const Vector& variances) const;
  void check_repeats(Batch<X> x, const Vector& variances) const;
  void check_trend(Index rows) const;
  void settle_trend(Batch<X> x);
  Matrix cross(Batch<X> a, Batch<X> b) const;
  Matrix with_all(Batch<X> at) const;                                       // (n + q) x m
  Matrix corner(Batch<X> x, const Vector& variances, double jitter) const;  // K(x, x), noise included
  Vector noise_of_new(Index m, Of of) const;
  Index add_variance(Batch<X> at, Vector& out) const;  // how many were clamped
  const internal::EditableTrend& trend() const;
  const Vector& alpha() const;
  const internal::EditableSpread& spread() const;

  Process<X> prior_;
  Mean<X> mean_;  // its basis fixed when the first points come
  EditableOptions options_;
  Data now_;
  internal::EditableSolution solution_;
  Edits edits_;
  Index unchecked_ = 0;
  std::shared_ptr<Lazy> lazy_ = std::make_shared<Lazy>();  // copies share it until one of them is edited
};

extern template class EditableProcess<Row>;

}  // namespace covary

#include "covary/process/editable_impl.h"
#include "covary/process/editable_predict_impl.h"
