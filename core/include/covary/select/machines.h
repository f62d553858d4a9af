// The support vector machines of the labels so far, one class against the rest, trained again as labels come.
#pragma once
#include <optional>

#include "covary/select/pool.h"
#include "covary/svm/svm.h"

namespace covary::internal {

/// Two classes make one machine, more make one each. A class without a label, or the only one that has any,
/// has none yet.
class Machines {
 public:
  explicit Machines(SvmOptions options = {}) : options_(options) {}

  /// Labels (class from 0 on) at candidates of the pool, in order: those that were there before must come
  /// first, and only what is new costs, unless `anew`. Not all machines exist then. weights: as `separate` has them.
  void train(const Pool& pool, const std::vector<Index>& candidates, const std::vector<Index>& classes,
             Index kinds, bool anew = false, const Vector& weights = {});

  /// Hard margins; where rounding prevents one, a penalty large enough to be equivalent.
  void train_hard(const Pool& pool, const std::vector<Index>& candidates, const std::vector<Index>& classes,
                  Index kinds);

  /// Removes the label at a position in that order; train must follow. A machine of which it is no support vector
  /// stays as it is; others are the start for the next.
  void forget(Index position);

  /// At least one separator exists.
  bool any() const;
  /// m x c from k(at, candidates) given by blocks (m x s for some of the candidates): f of each class, -f and
  /// f for two; where there is no machine, +1 for a class that all labels have and -1 for one that none has.
  Matrix decision(Index m, const std::function<Matrix(const std::vector<Index>&)>& cross) const;
  /// The support vectors of class c's separator, as candidates.
  const std::optional<Separator>& machine(Index c) const { return machines_[static_cast<size_t>(c)]; }
  Index count() const { return std::ssize(machines_); }

 private:
  SvmOptions options_;
  Index kinds_ = 0;
  std::vector<Index> candidates_, classes_;
  std::vector<std::optional<Separator>> machines_;
};

/// The class of the largest decision; the first of equals.
std::vector<Index> winners(const Matrix& decision);

}  // namespace covary::internal
