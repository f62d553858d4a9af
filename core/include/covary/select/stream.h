// Selective sampling: points arrive one at a time, and each is queried or discarded at once, under a budget of
// labels and a budget of memory.
//
//   Stream<Row> s(process, {.budget = 100, .length = n});
//   for (Index i = 0; i < n; ++i)
//     if (s.offer(x.row(i)).ask) s.tell(measure(i));
//
// The score of a point is the sd of f there, and a Threshold decides. Over the memory budget a point is
// forgotten for each that comes, by the posterior's own update: nothing is ever refitted.
//
// With n points kept, a point costs n^2 flops to score and a label O(n^2). Which points are redundant is
// found for n/16 removals at once, from one inverse: n^3 flops, so 16 n^2 a removal.
//
// The same seed makes the same choices, at any number of threads and in whatever blocks points are offered.
#pragma once
#include <optional>

#include "covary/process/editable.h"
#include "covary/select/threshold.h"

namespace covary {

/// The point to forget when memory is full: the oldest, or the one that the others predict best. The latter
/// spreads the kept points over all that were seen: right for points in a bounded region, while outliers, however
/// rare, stay and may fill a small memory.
enum class Forget { oldest, redundant };

struct StreamOptions {
  Index budget = 0;         // labels at most
  Index length = 0;         // points to come; 0: not known, then `rate` is needed
  double rate = 0;          // labels a point, where the length is not known
  Index memory = 500;       // points kept
  Index start = 10;         // the first points are asked for whatever their score
  double random_share = 0;  // of the asks after those: by chance, so that risks can be estimated
  Forget forget = Forget::redundant;
  std::uint64_t seed = 1;
  int threads = 0;
  /// As typed; empty: uncertainty for numbers, svm-margin for classes. Classes have "disagreement" and "iwal", too.
  std::string strategy = {};
  ThresholdOptions threshold() const;
};

namespace internal {
/// Throws Problem::usage unless the options can be used.
void check(const StreamOptions& options);
/// Throws Problem::usage unless the strategy can decide on points of a stream of numbers or classes as they come.
void check_streams(const std::string& strategy, bool classes);
}  // namespace internal

struct StreamSummary {
  Index seen = 0, asked = 0, by_chance = 0;  // points
  Index scored = 0;                          // points, those scored again after an ask included
  Index kept = 0, dropped = 0;               // labels
  Index rebuilt = 0;                         // models made from scratch: relearned, or rounding
  double threshold = 0;
  /// "1000000 points seen, 1000 asked for (12 by chance), 500 kept, 500 dropped; threshold 0.031"
  std::string text() const;
};

namespace internal {
/// The label of point i of a batch.
using LabelOf = std::function<double(Index i)>;
/// Called for every point of a batch, in order, after its label if it was queried; may refit then.
using OfferSeen = std::function<void(Index i, const Offer& offer)>;

/// The part of a stream that is common to all models: the threshold, the point whose label is awaited, counts.
/// Scores are made by `scores`; told(i, offer) gives the label of point i of a batch to the model.
template <class X>
struct StreamTurns {
  Threshold threshold;
  std::optional<Points<X>> asked = {};
  Index scored = 0, dropped = 0;
  using Scores = std::function<Vector(Batch<X>)>;
  Offer offer(Batch<X> x, const Scores& scores);
  void offer_many(Batch<X> x, const Scores& scores, const OfferSeen& told, const OfferSeen& seen);
  StreamSummary summary(Index kept, Index rebuilt) const;
};
}  // namespace internal

template <class X>
class Stream {
 public:
  /// Kernel, mean and noise of a process; if it is a posterior its points are the first that are kept.
  Stream(const Process<X>& process, StreamOptions options);

  /// The next point (a batch of one): whether to ask. After an ask, tell must come first.
  Offer offer(Batch<X> x);
  /// Its label. Of an exact repeat without noise nothing is kept: it is known.
  void tell(double y);
  /// Many points, the same as one at a time: label(i) is called for those asked for. Scores are found in
  /// blocks of 64, 128, ..., 4096 points since the last ask; what is left of a block then is scored again.
  void offer_many(Batch<X> x, const internal::LabelOf& label, const internal::OfferSeen& seen = {});
  /// Another kernel, mean and noise over the points kept. n^3/3 flops.
  void relearn(const Process<X>& process);

  const EditableProcess<X>& model() const { return model_; }
  Process<X> process() const { return model_.process(); }
  const Threshold& threshold() const { return turns_.threshold; }
  StreamSummary summary() const;

 private:
  Vector scores(Batch<X> x);  // m: sd of f
  void make_room();

  StreamOptions options_;
  Process<X> prior_;
  EditableProcess<X> model_;
  internal::StreamTurns<X> turns_;
  std::vector<Index> leaving_;  // the next that go, the last one first
  Index rebuilt_ = 0;
};

namespace internal {
/// The q points to go one after another, each the one whose f the rest predicts best: from their precision
/// (n x n) and noise (n). n q^2 flops.
std::vector<Index> most_redundant(Matrix precision, const Vector& noise, Index q);

/// fn(i, score) for i = 0, ..., m - 1, in order, with scores of blocks that grow until fn says true: then
/// those after i are made anew.
void in_growing_blocks(Index m, const std::function<Vector(Range)>& scores,
                       const std::function<bool(Index, double)>& fn);

/// Offers m points by their scores, found in such blocks: asked(i, offer) for those to be asked for, then seen(i).
void offer_each(Threshold& threshold, Index m, const std::function<Vector(Range)>& scores,
                const OfferSeen& asked, const OfferSeen& seen);

/// Throws Problem::usage: offer and tell take turns.
void check_turn(bool awaited, bool telling);
/// Throws Problem::usage unless there is one point.
void check_one(Index points);
/// Throws Problem::limit if more points are given than are kept.
void check_kept(Index points, Index memory);
}  // namespace internal

extern template class Stream<Row>;

}  // namespace covary

#include "covary/select/stream_impl.h"
