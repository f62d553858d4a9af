// Choosing labels near the separator can miss a cluster for good; asking where the process knows least, and
// now and then by chance, does not.
#include <covary/kernels/expression.h>
#include <covary/select/coverage.h>
#include <covary/select/risk.h>
#include <covary/select/selector.h>

#include <iostream>

using namespace covary;

/// Two wide clusters of class 0 and 1, and a small one of class 0 behind the second.
struct Clusters {
  Matrix x = Matrix(600, 2);
  Vector y = Vector(600);
  Clusters() {
    Random rng(1);
    for (Index i = 0; i < 600; ++i) {
      const bool behind = i >= 582;
      y[i] = behind ? 0 : double(i % 2);
      const double middle = behind ? 4.2 : 3 * y[i] - 1.5, across = behind ? 0.1 : 0.4;
      x(i, 0) = middle + across * rng.normal(), x(i, 1) = 2 * across * rng.normal();
    }
  }
};

/// m: which class the classifier of the labels foresees.
std::vector<Index> foreseen(const Selector& s, const Clusters& c, const Process<Row>& prior) {
  return Classifier<Row>::train(prior.kernel(), c.x(s.belief().order(), Eigen::all), s.classes(),
                                {.penalty = 10})
      .predict(c.x);
}

/// The share of the pool that is wrong after 60 labels.
double error_of(const std::string& strategy, double random_share) {
  const Clusters c;
  const Process<Row> prior(parse<Row>("se(lengthscale=3)"), zero_mean<Row>(), Noise::of(0.01));
  Selector s(parse_strategy(strategy), pool_of<Row>(prior, c.x),
             {.seed = 1, .random_share = random_share, .kinds = 2, .svm = {.penalty = 10}});
  s.tell({0, 1}, c.y.head(2));
  std::vector<SampledLoss> seen;
  while (s.belief().labels() < 60) {
    const std::vector<Index> best = foreseen(s, c, prior);
    const Choice chosen = s.suggest()[0];
    const Index i = chosen.candidate;
    seen.push_back(
        {double(best[static_cast<size_t>(i)]) != c.y[i] ? 1.0 : 0.0, chosen.probability, chosen.open});
    s.tell(i, c.y[i]);
  }
  const std::vector<Index> best = foreseen(s, c, prior);
  double wrong = 0;
  for (Index i = 0; i < 600; ++i) wrong += double(best[static_cast<size_t>(i)]) != c.y[i];
  std::cout << strategy << ", " << 100 * random_share << " % by chance: " << wrong << " of 600 are wrong\n";
  if (random_share > 0) std::cout << "  risk over the run: " << risk(seen).text() << "\n";
  for (const std::string& w : coverage(s.belief()).warnings) std::cout << "  " << w << "\n";
  return wrong / 600;
}

int main() {
  const double plain = error_of("svm-margin", 0), mended = error_of("uncertainty(sd=1)", 0.2);
  return plain > 0.02 && mended == 0 ? 0 : 1;
}
