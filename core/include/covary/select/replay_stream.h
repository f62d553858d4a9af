// Replays of selective sampling on data whose labels are known: the error of each strategy as labels are added.
//
// In every repeat the same rows are held out as in replay, the same labels are the start, and the other
// candidates arrive in the same random order for every strategy, each once. Numbers are predicted by a
// Stream whose parameters are learned from the points it keeps, classes by a StreamMachine.
//
// A Step's `open` is the number of points still to come, the one labelled among them, and its `probability`
// that of the ask over the number of labels left, so that the weight 1/(open probability) of risk() is
// rate / (probability of the ask), or one over the probability where a strategy has its own (iwal). largest_sd is NaN:
// nobody knows what is to come.
#pragma once
#include "covary/select/replay.h"
#include "covary/select/stream.h"

namespace covary {

namespace internal {
struct StreamMemory {
  Index points = 500;
  Forget forget = Forget::redundant;
};
}  // namespace internal

/// Strategies: random and uncertainty for numbers, random, svm-margin, disagreement and iwal for
/// classes. Throws Problem::usage for batches, costs and stopping rules, which do not apply.
std::vector<Trial> replay_stream(const ReplayData& data, const Model<Row>& model,
                                 const ReplayOptions& options, const internal::StreamMemory& memory = {},
                                 const std::vector<Trial>& done = {});

}  // namespace covary
