#include "demo/hidden_cluster.h"

#include "covary/kernels/expression.h"
#include "covary/select/selector.h"
#include "covary/select/stream_machine.h"

namespace covary {
namespace {

constexpr double right = 0.01, mostly_right = 0.05;  // of the pool may be wrong
constexpr const char* scene_kernel = "se(lengthscale=3)";

/// What the labels so far come to, from the losses of all points (m).
void take_losses(HiddenClusterRun& out, const Vector& loss, Index labels) {
  out.error = loss.mean(), out.missed = loss.tail(HiddenCluster::hidden).mean() > 0.5;
  if (out.error > right) out.until = labels + 1;
  if (out.error > mostly_right) out.until_most = labels + 1;
}

void take_label(HiddenClusterRun& out, Index point) {
  out.labelled.push_back(point);
  if (out.found == 0 && point >= HiddenCluster::size - HiddenCluster::hidden)
    out.found = std::ssize(out.labelled);
}

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
  const Process<Row> prior(parse<Row>(scene_kernel), zero_mean<Row>(), Noise::of(0.01));
  Selector s(parse_strategy(strategy), pool_of<Row>(prior, scene.x),
             {.seed = scene.seed,
              .random_share = random_share,
              .kinds = 2,
              .svm = {.penalty = penalty, .threads = 1},
              .threads = 1});
  internal::PoolClassifier classifier;
  HiddenClusterRun out;
  for (const Index i : scene.start) s.tell(i, scene.y[i]), take_label(out, i);
  const Index rounds = budget - s.belief().labels();
  for (Index round = 0;; ++round) {
    const Vector loss = losses(classifier, s, scene.y);
    take_losses(out, loss, s.belief().labels());
    if (round == rounds) break;
    out.truth += mean_over_open(s, loss) / double(rounds);
    const Choice chosen = s.suggest()[0];
    out.seen.push_back({loss[chosen.candidate], chosen.probability, chosen.open});
    s.tell(chosen.candidate, scene.y[chosen.candidate]);
    take_label(out, chosen.candidate);
  }
  out.coverage = coverage(s.belief());
  return out;
}

HiddenClusterRun run_stream(const HiddenCluster& scene, const std::string& strategy, double penalty) {
  const Index n = HiddenCluster::size;
  Random rng(scene.seed);
  std::vector<Index> order = internal::all_indices(n);
  for (Index i = n - 1; i > 0; --i)
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(rng.integer(i + 1))]);
  StreamMachine<Row> s(
      parse<Row>(scene_kernel), 2, {.penalty = penalty, .threads = 1},
      {.budget = n, .length = n, .start = 10, .seed = scene.seed, .threads = 1, .strategy = strategy});
  HiddenClusterRun out;
  for (const Index i : order) {
    const bool knows = !out.labelled.empty();
    const Matrix x = scene.x.row(i);
    const double loss = knows && double(s.predict(x)[0]) != scene.y[i] ? 1 : 0;
    const Offer offer = s.offer(x);
    out.truth += loss / double(n);
    if (!offer.ask) continue;
    out.seen.push_back({loss, offer.probability, 1});
    out.corrected += loss / offer.probability / double(n);
    s.tell(scene.y[i]);
    take_label(out, i);
    const std::vector<Index> found = s.predict(scene.x);
    Vector losses(n);
    for (Index j = 0; j < n; ++j) losses[j] = double(found[static_cast<size_t>(j)]) != scene.y[j];
    take_losses(out, losses, std::ssize(out.labelled));
  }
  return out;
}

}  // namespace covary
