// Classification by support vector machines, one against the rest, over any kernel.
//
//   auto c = Classifier<Row>::train(se(0.3), x, label);               // label: 0, 1, ...
//   std::vector<Index> there = c.predict(at);
//   auto d = Classifier<Row>::train(se(0.3), more_x, more_label, {}, &c);   // points added at the end
//
// Made for labels that come one by one: a new point that every machine has on its side changes nothing and
// costs one kernel value per support point, and classes may appear late.
#pragma once
#include <optional>
#include <string>

#include "covary/kernels/kernel.h"
#include "covary/svm/svm.h"

namespace covary {

template <class X>
class Classifier {
 public:
  /// The kernel must be given in full. `before` was trained with the same kernel on the first of these
  /// points. Throws what separate does, and Problem::usage if `before` is of other points.
  static Classifier train(const Kernel<X>& kernel, Batch<X> x, const std::vector<Index>& label,
                          const SvmOptions& options = {}, const Classifier* before = nullptr);

  /// m x classes: f of each class against the rest; the class is where it is largest. With two classes there
  /// is one machine and columns -f and f. A class not seen so far has -infinity; a class that is the only one
  /// seen has 0, because its extent is unknown. In blocks across threads: the same bits for any
  /// number of them.
  Matrix decision(Batch<X> at, int threads = 0) const;
  /// m: where the decision is largest, the lowest class of those.
  std::vector<Index> predict(Batch<X> at, int threads = 0) const;

  Index classes() const { return std::ssize(seen_); }  // the largest label + 1
  bool seen(Index c) const { return c >= 0 && c < classes() && seen_[static_cast<size_t>(c)]; }
  bool has_machine(Index c) const { return seen(c) && machines_[static_cast<size_t>(c)]; }
  Index size() const { return std::ssize(label_); }  // points trained on
  /// The separator of class c from the rest. Its offset goes with kernel(c). Throws Problem::usage if there
  /// is none: the class was not seen so far, or no other was.
  const internal::Separator& machine(Index c) const { return held(c).separator; }
  /// What machine(c) was trained with: the kernel, with its explicit features measured from the middle of the
  /// support, which is the same to a separator but for the offset, and more accurate.
  const Kernel<X>& kernel(Index c) const { return held(c).kernel; }
  /// Machines that rounding kept from their tolerance, and classes not seen.
  std::vector<std::string> notes() const;

 private:
  struct Machine {
    internal::Separator separator;
    Kernel<X> kernel;
    Points<X> support;
  };
  Classifier(Kernel<X> kernel, Batch<X> x, std::vector<Index> label, const SvmOptions& options);
  std::optional<Machine>& machine_at(Index c) { return machines_[static_cast<size_t>(c)]; }
  const Machine& held(Index c) const;
  Machine trained(Index c, const Classifier* before) const;

  Kernel<X> kernel_;
  Points<X> x_;               // n
  std::vector<Index> label_;  // n
  SvmOptions options_;
  std::vector<bool> seen_;                        // classes
  std::vector<std::optional<Machine>> machines_;  // classes
};

extern template class Classifier<Row>;

}  // namespace covary

#include "covary/svm/classifier_impl.h"
