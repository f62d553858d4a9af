// Selective sampling for classes: a Stream whose model is support vector machines, one class against the
// rest.
//
//   StreamMachine<Row> s(se(0.3), 2, {.penalty = 10}, {.budget = 100, .length = n});
//   for (Index i = 0; i < n; ++i)
//     if (s.offer(x.row(i)).ask) s.tell(kind(i));
//
// The score of a point is 1/(1 + |f|), f the nearest separator's; 1 until there is one. Over the memory
// budget the oldest point that is no support vector is dropped, which changes nothing, or else the oldest of all;
// but never the only one of its class. With s support points a point costs s kernel values.
//
// Two strategies decide in another way. "disagreement" asks for every point on which separators that agree with all
// labels disagree (region.h); the machines have a hard margin, and predict infers the labels of the others. "iwal" asks
// with a probability (iwal.h), and the machines weigh a label by one over it.
#pragma once
#include "covary/kernels/kernel_gram.h"
#include "covary/select/iwal.h"
#include "covary/select/region.h"
#include "covary/select/stream.h"

namespace covary {

namespace internal {
/// A strategy for classes as a stream has it.
struct ClassRule {
  Asks asks = Asks::above;
  RegionOptions region = {};
  IwalOptions iwal = {};
  SvmOptions svm = {};  // of the machines
};
ClassRule class_rule(const StreamOptions& options, const SvmOptions& svm);
}  // namespace internal

template <class X>
class StreamMachine {
 public:
  /// For classes 0, ..., kinds - 1. The kernel must be given in full. `forget` is not used.
  StreamMachine(Kernel<X> kernel, Index kinds, const SvmOptions& svm, const StreamOptions& options);

  /// As Stream has them. A label that leaves "disagreement" no separator throws EmptyVersionSpace with the points of
  /// the stream, counted from 0, whose labels contradict each other; the stream stays as it was.
  Offer offer(Batch<X> x);
  void tell(double kind);
  void offer_many(Batch<X> x, const internal::LabelOf& kind, const internal::OfferSeen& seen = {});

  Matrix decision(Batch<X> at) const;               // m x kinds, as Machines has it
  std::vector<Index> predict(Batch<X> at) const;    // m
  Batch<X> points() const { return Batch<X>(x_); }  // those kept
  const std::vector<Index>& classes() const { return classes_; }
  const Threshold& threshold() const { return turns_.threshold; }
  StreamSummary summary() const;

 private:
  Vector scores(Batch<X> x);  // m
  void make_room();
  void check_not_empty(Batch<X> x, Index kind) const;
  void train();
  Pool pool_over(Batch<X> x) const;

  internal::ClassRule rule_;
  Kernel<X> kernel_;
  Index kinds_;
  StreamOptions options_;
  internal::Machines machines_;
  internal::StreamTurns<X> turns_;
  Points<X> x_;
  std::vector<Index> classes_;
  std::vector<Index> arrived_;   // of those kept: the number in the stream
  std::vector<double> weights_;  // one over the probability of the ask
  double probability_ = 1;       // of the ask that is awaited
};

namespace internal {
/// The point to go: see above.
Index least_needed(const Machines& machines, const std::vector<Index>& classes, Index kinds);
/// m: 1/(1 + |f|) of the nearest separator.
Vector nearness(const Machines& machines, const Matrix& decision);
/// Throws Problem::usage unless there are 2 classes or more and memory for one point more than that.
void check_kinds(Index kinds, Index memory);
/// Whose candidates are points of the stream.
EmptyVersionSpace in_stream(const EmptyVersionSpace& e, const std::vector<Index>& arrived);
/// Throws Problem::data unless it is 0, ..., kinds - 1.
void check_kind(double kind, Index kinds);
}  // namespace internal

extern template class StreamMachine<Row>;

}  // namespace covary

#include "covary/select/stream_machine_impl.h"
