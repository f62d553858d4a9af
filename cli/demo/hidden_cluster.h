// A scene that misleads: a small cluster that the first separator hides. For demonstrations and tests.
#pragma once
#include <string>

#include "covary/select/coverage.h"
#include "covary/select/risk.h"

namespace covary {

/// Two wide clusters of 291, class 0 on the left and class 1 on the right, and behind the right one 18 of
/// class 0, which stand last.
struct HiddenCluster {
  static constexpr Index size = 600, hidden = 18;
  explicit HiddenCluster(std::uint64_t scene);
  Matrix x = Matrix(size, 2);
  Vector y = Vector(size);
  std::vector<Index> start;  // one of each wide cluster
  std::uint64_t seed = 0;    // for a strategy
};

/// How a strategy fared, judged by the classifier of its labels.
struct HiddenClusterRun {
  std::vector<Index> labelled;
  std::vector<SampledLoss> seen;
  double truth = 0;       // risk: the mean loss over the open candidates, averaged over the run
  double error = 0;       // share of the pool, in the end
  bool missed = false;    // most of the hidden cluster is wrong in the end
  Index until = 0;        // labels from which on 99 % of the pool are right
  Index until_most = 0;   // labels from which on 95 % are
  Index found = 0;        // labels when the first of the hidden cluster was among them; 0: never
  PoolCoverage coverage;  // of pools
  double corrected = 0;   // of streams: mean over all points of loss/probability, 0 where none was asked for
};

/// `budget` labels, the start among them; `penalty` is that of the classifier. Single-threaded.
HiddenClusterRun run(const HiddenCluster& scene, const std::string& strategy, double random_share,
                     Index budget = 100, double penalty = 10);

/// The same points as a stream in an order of chance, by a strategy of streams, without a limit on labels. The risk is
/// that of all points, each foreseen by the machine before it. Single-threaded.
HiddenClusterRun run_stream(const HiddenCluster& scene, const std::string& strategy, double penalty = 10);

}  // namespace covary
