#include "demo/hidden_cluster.h"

#include "covary/kernels/expression.h"
#include "covary/select/selector.h"

namespace covary {
namespace {

constexpr double right = 0.01, mostly_right = 0.05;  // of the pool may be wrong

/// m: 1 where the classifier of the labels is wrong.
Vector losses(internal::PoolClassifier& classifier, const Selector& s, const Vector& y) {
  const Pool& pool = s.belief().pool();
  classifier = pool.classifier(s.belief().order(), s.classes(), s.sight().svm, classifier);
  const Matrix f = classifier.decision({0, y.size()});
  Vector out(y.size());
  for (Index i = 0; i < y.size(); ++i) {
    Index best = 0;
    f.row(i).maxCoeff(&best);
    out[i] = double(best) != y[i];
  }
  return out;
}

double mean_over_open(const Selector& s, const Vector& loss) {
  double sum = 0;
  for (Index i = 0; i < loss.size(); ++i) sum += s.is_open(i) ? loss[i] : 0;
  return sum / double(s.open());
}

}  // namespace

HiddenCluster::HiddenCluster(std::uint64_t scene) {
  Random rng(scene);
  for (Index i = 0; i < size; ++i) {
    const bool behind = i >= size - hidden;
    y[i] = !behind && i % 2 ? 1 : 0;
    const double middle = behind ? 4.2 : y[i] > 0 ? 1.5 : -1.5, across = behind ? 0.15 : 0.55;
    Matrix off;
    do off = rng.normal(1, 2);
    while (off.norm() > 2);
    x(i, 0) = middle + across * off(0, 0), x(i, 1) = (behind ? 1 : 2) * across * off(0, 1);
  }
  start = {2 * rng.integer(size / 2 - hidden), 2 * rng.integer(size / 2 - hidden) + 1};
  seed = rng.fork();
}

HiddenClusterRun run(const HiddenCluster& scene, const std::string& strategy, double random_share,
                     Index budget, double penalty) {
  const Process<Row> prior(parse<Row>("se(lengthscale=3)"), zero_mean<Row>(), Noise::of(0.01));
  Selector s(parse_strategy(strategy), pool_of<Row>(prior, scene.x),
             {.seed = scene.seed,
              .random_share = random_share,
              .kinds = 2,
              .svm = {.penalty = penalty, .threads = 1},
              .threads = 1});
  internal::PoolClassifier classifier;
  for (const Index i : scene.start) s.tell(i, scene.y[i]);
  HiddenClusterRun out;
  const Index rounds = budget - s.belief().labels();
  for (Index round = 0;; ++round) {
    const Vector loss = losses(classifier, s, scene.y);
    out.error = loss.mean(), out.missed = loss.tail(HiddenCluster::hidden).mean() > 0.5;
    if (out.error > right) out.until = s.belief().labels() + 1;
    if (out.error > mostly_right) out.until_most = s.belief().labels() + 1;
    if (round == rounds) break;
    out.truth += mean_over_open(s, loss) / double(rounds);
    const Choice chosen = s.suggest()[0];
    out.seen.push_back({loss[chosen.candidate], chosen.probability, chosen.open});
    s.tell(chosen.candidate, scene.y[chosen.candidate]);
    if (out.found == 0 && chosen.candidate >= HiddenCluster::size - HiddenCluster::hidden)
      out.found = s.belief().labels();
  }
  out.labelled = s.belief().order();
  out.coverage = coverage(s.belief());
  return out;
}

}  // namespace covary
