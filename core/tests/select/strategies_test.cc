// What every strategy must do, taken from the registry.
#include <set>

#include "covary/kernels/expression.h"
#include "covary/select/selector.h"
#include "support.h"

namespace covary::strategies_test {
namespace {

/// 120 candidates in the plane, every third one repeated, and what their labels would be.
struct Bench {
  Matrix x = Random(1).normal(120, 2);
  Process<Row> prior{parse<Row>("se(lengthscale=0.8)"), constant_mean<Row>(), Noise::of(0.05)};
  Bench() {
    for (Index i = 0; i + 60 < 120; i += 3) x.row(i + 60) = x.row(i);
  }
  double number(Index i) const { return std::sin(2 * x(i, 0)) + x(i, 1); }
  double kind(Index i, Index kinds) const {
    return kinds == 2
               ? double(x(i, 0) > 0)
               : double((x(i, 0) > 0) + 2 * (x(i, 1) > 0.3)) - (kinds == 3 && x(i, 0) > 0 && x(i, 1) > 0.3);
  }
  double label(Index i, Index kinds) const { return kinds ? kind(i, kinds) : number(i); }
  Pool pool(const Matrix& points) const { return pool_of<Row>(prior, points); }
};

/// An entry, and how many classes there are.
struct Asked {
  std::string name;
  Index kinds;
};

bool any(const StrategyEntry&) { return true; }
bool of_chance(const StrategyEntry& e) { return e.chance; }
bool drawing(const StrategyEntry& e) { return e.draws; }
bool scoring(const StrategyEntry& e) { return !e.chance && !e.draws; }
/// Chance has no part in its scores either.
bool determined(const StrategyEntry& e) {
  return scoring(e) && !e.name.starts_with("committee") && e.name != "thompson";
}

std::vector<Asked> those(bool (*wanted)(const StrategyEntry&)) {
  std::vector<Asked> out;
  for (const StrategyEntry& e : strategies())
    for (const Index kinds : {0, 2, 3}) {
      if (!wanted(e) || !e.pool) continue;
      if (kinds == 0 && e.task == StrategyEntry::For::classification) continue;
      if (kinds > 0 && e.task == StrategyEntry::For::regression) continue;
      out.push_back({e.name, kinds});
    }
  return out;
}

class AnyStrategy : public testing::TestWithParam<Asked> {
 protected:
  Bench bench;
  const StrategyEntry& entry() const { return *parse_strategy(GetParam().name).entry; }
  Selector selector(const Matrix& x, SelectorOptions o = {}) {
    o.kinds = GetParam().kinds;
    return Selector(parse_strategy(GetParam().name), bench.pool(x), std::move(o));
  }
  /// With labels at the first candidates.
  Selector begun(const Matrix& x, SelectorOptions o = {}, Index labels = 12) {
    Selector s = selector(x, std::move(o));
    Vector y(labels);
    for (Index i = 0; i < labels; ++i) y[i] = bench.label(i, GetParam().kinds);
    s.tell(internal::all_indices(labels), y);
    return s;
  }
  std::vector<Index> run(Selector s, Index rounds, Index batch) {
    std::vector<Index> out;
    for (Index r = 0; r < rounds; ++r)
      for (const Choice& c : s.suggest(batch)) {
        out.push_back(c.candidate);
        s.tell(c.candidate, bench.label(c.candidate, GetParam().kinds));
      }
    return out;
  }
};

class EveryStrategy : public AnyStrategy {};
class EveryScoringStrategy : public AnyStrategy {};
class EveryDeterminedStrategy : public AnyStrategy {};
class EveryStrategyOfChance : public AnyStrategy {};
class EveryDrawingStrategy : public AnyStrategy {};

TEST_P(EveryStrategy, ScoresEveryCandidate) {
  Selector s = begun(bench.x);
  const Choice c = s.suggest()[0];
  ASSERT_EQ(s.scores().size(), 120);
  EXPECT_TRUE(s.scores().allFinite());
  EXPECT_GE(s.scores().minCoeff(), 0);
  EXPECT_EQ(c.score, s.scores()[c.candidate]);
  EXPECT_FALSE(c.reason.empty());
  EXPECT_EQ(c.reason.find('\n'), std::string::npos);
  EXPECT_EQ(c.open, 108);
}

TEST_P(EveryScoringStrategy, TakesTheLargestScore) {
  Selector s = begun(bench.x);
  const Choice c = s.suggest()[0];
  for (Index i = 12; i < 120; ++i) EXPECT_LE(s.scores()[i], c.score * (1 + 1e-9)) << i;
  EXPECT_EQ(c.probability, 1);
}

TEST_P(EveryStrategy, BeginsWithoutLabels) {
  Selector s = selector(bench.x);
  const Choice c = s.suggest()[0];
  EXPECT_EQ(c.open, 120);
  s.tell(c.candidate, 0);
  EXPECT_NE(s.suggest()[0].candidate, c.candidate);
}

TEST_P(EveryStrategy, NeverTheSameTwiceAndThenNoMore) {
  Selector s = begun(bench.x);
  std::set<Index> seen;
  for (Index i = 0; i < 12; ++i) seen.insert(i);
  while (s.open() >= 4)
    for (const Choice& c : s.suggest(4)) {
      EXPECT_TRUE(seen.insert(c.candidate).second) << c.candidate;
      s.tell(c.candidate, bench.label(c.candidate, GetParam().kinds));
    }
  EXPECT_EQ(seen.size(), 120u);
  EXPECT_EQ(test::error_of([&] { s.suggest(); }, Problem::data), "1 candidate was asked for, 0 are left");
}

TEST_P(EveryStrategy, TheSameAgainIfRepeatsAreAskedFor) {
  const Matrix x = bench.x.topRows(13);
  Selector s = begun(x, {.repeats = true});
  for (int round = 0; round < 20; ++round) {  // more than there are
    const Choice c = s.suggest()[0];
    EXPECT_EQ(c.open, 13);
    s.tell(c.candidate, bench.label(c.candidate, GetParam().kinds));
  }
  EXPECT_EQ(s.belief().labels(), 32);
  EXPECT_EQ(s.open(), 13);
  EXPECT_EQ(s.suggest(13).size(), 13u);
  EXPECT_EQ(test::error_of([&] { s.suggest(14); }, Problem::data),
            "14 candidates were asked for, 13 are left");
}

TEST_P(EveryScoringStrategy, ABatchHasNoNearRepeats) {
  Selector s = begun(bench.x);
  const std::vector<Choice> batch = s.suggest(10);
  for (size_t i = 0; i < batch.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_GT((bench.x.row(batch[i].candidate) - bench.x.row(batch[j].candidate)).norm(), 1e-6)
          << batch[i].candidate << " and " << batch[j].candidate;
}

TEST_P(EveryStrategy, TheSameSeedTheSameChoicesOnAnyNumberOfThreads) {
  const std::vector<Index> one = run(begun(bench.x, {.seed = 5, .random_share = 0.3, .threads = 1}), 5, 3);
  EXPECT_EQ(one, run(begun(bench.x, {.seed = 5, .random_share = 0.3, .threads = 1}), 5, 3));
  EXPECT_EQ(one, run(begun(bench.x, {.seed = 5, .random_share = 0.3, .threads = 4}), 5, 3));
  EXPECT_NE(one, run(begun(bench.x, {.seed = 6, .random_share = 0.3, .threads = 1}), 5, 3));
}

TEST_P(EveryScoringStrategy, EqualScoresGoToTheFirst) {
  const Matrix x = Matrix::Zero(9, 2);  // a pool borrows it
  Selector s = selector(x, {.repeats = false});
  for (Index i = 0; i < 9; ++i) {
    EXPECT_EQ(s.suggest()[0].candidate, i);
    s.tell(i, 0);
  }
}

TEST_P(EveryScoringStrategy, GainPerCost) {
  Selector free = begun(bench.x);
  const Choice best = free.suggest()[0];
  SelectorOptions o;
  o.cost = Vector::Ones(120);
  o.cost[best.candidate] = 1e9;
  Selector dear = begun(bench.x, o);
  const Choice other = dear.suggest()[0];
  EXPECT_NE(other.candidate, best.candidate);
  Index second = -1;
  for (Index i = 12; i < 120; ++i)
    if (i != best.candidate && (second < 0 || free.scores()[i] > free.scores()[second] * (1 + 1e-9)))
      second = i;
  EXPECT_EQ(other.candidate, second);
}

TEST_P(EveryDeterminedStrategy, TheOrderOfTheCandidatesDoesNotMatter) {
  Matrix x = bench.x.topRows(60);  // no repeats
  Matrix turned = x;
  turned.bottomRows(48) = x.bottomRows(48).colwise().reverse();
  Selector a = begun(x), b = begun(turned);
  EXPECT_EQ(a.suggest()[0].candidate, 71 - b.suggest()[0].candidate);
}

/// What is kept from call to call is what would be found anew.
TEST_P(EveryDeterminedStrategy, ScoresDoNotDependOnWhenTheyWereAskedFor) {
  Selector kept = begun(bench.x, {}, 9), anew = begun(bench.x, {}, 9);
  const auto labels = [&](const std::vector<Index>& at) {
    Vector out(std::ssize(at));
    for (Index i = 0; i < out.size(); ++i) out[i] = bench.label(at[static_cast<size_t>(i)], GetParam().kinds);
    return out;
  };
  const Index first = kept.suggest()[0].candidate;
  std::vector<Index> others;
  for (Index i = 9; std::ssize(others) < 3; ++i)
    if (i != first) others.push_back(i);
  for (Selector* s : {&kept, &anew}) {
    s->tell(first, labels({first})[0]);
    s->tell(others, labels(others));
    s->suggest();
  }
  EXPECT_TRUE(test::near(kept.scores(), anew.scores(), 1e-9));
}

TEST_P(EveryStrategy, MixesInChanceWithKnownProbabilities) {
  const double share = entry().chance ? 1 : 0.25;
  double sum = 0;  // of 1/(open probability): its mean is 1 if the probabilities are right
  Index by_chance = 0;
  const Index rounds = 400;
  const Matrix x = bench.x.topRows(40);
  for (Index r = 0; r < rounds; ++r) {
    Selector fresh = begun(x, {.seed = std::uint64_t(r), .random_share = 0.25});
    const Choice c = fresh.suggest()[0];
    by_chance += c.by_chance;
    sum += 1 / (28 * c.probability);
    EXPECT_GE(c.probability, share / 28);
  }
  EXPECT_NEAR(double(by_chance) / double(rounds), share, 4 * std::sqrt(0.25 * 0.75 / double(rounds)) + 1e-12);
  const double largest = 1 / share;
  EXPECT_NEAR(sum / double(rounds), 1, 4 * largest * std::sqrt(share / double(rounds)));
}

TEST_P(EveryStrategyOfChance, TakesEachOpenOneAsOften) {
  Selector s = begun(bench.x);
  const Choice c = s.suggest()[0];
  EXPECT_TRUE(c.by_chance);
  EXPECT_EQ(c.probability, 1.0 / 108);
}

/// Horvitz and Thompson: what was drawn, divided by its probability, has the mean of the sum over all.
TEST_P(EveryDrawingStrategy, DrawsInProportionToScorePerCost) {
  const Index rounds = 500;
  const Matrix x = bench.x.topRows(40);
  SelectorOptions o;
  o.cost = Vector::Ones(40);
  o.cost.tail(14).setConstant(3);
  Vector estimates(rounds);
  double all = 0;
  for (Index r = 0; r < rounds; ++r) {
    o.seed = std::uint64_t(r);
    Selector s = begun(x, o);
    const Choice c = s.suggest()[0];
    Vector worth = s.scores().cwiseQuotient(o.cost);
    worth.head(12).setZero();
    EXPECT_GT(worth.tail(28).minCoeff(), 0);
    EXPECT_NEAR(c.probability, worth[c.candidate] / worth.sum(), 1e-12);
    EXPECT_FALSE(c.by_chance);
    const Vector squares = x.rowwise().squaredNorm();
    estimates[r] = squares[c.candidate] / c.probability;
    all = squares.tail(28).sum();
  }
  const double sd = std::sqrt((estimates.array() - estimates.mean()).square().mean());
  EXPECT_NEAR(estimates.mean(), all, 4 * sd / std::sqrt(double(rounds)));
}

TEST_P(EveryStrategy, RefusesLabelsThatAreNoNumbersAndStaysAsItWas) {
  Selector s = begun(bench.x);
  Vector labels = Vector::Ones(2);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    labels[1] = bad;
    EXPECT_THROW(s.tell(20, bad), Error);
    EXPECT_THROW(s.tell({20, 21}, labels), Error);
  }
  EXPECT_EQ(s.open(), 108);
  EXPECT_EQ(s.belief().labels(), 12);
}

/// What is asked for is the best by the classifier that the user has, whatever its kernel and penalty: a
/// strategy looks at that one or at none.
class EveryStrategyForClasses : public AnyStrategy {
 protected:
  Selector of(const Process<Row>& process, double penalty) {
    Selector s(parse_strategy(GetParam().name), pool_of<Row>(process, bench.x),
               {.kinds = GetParam().kinds, .svm = {.penalty = penalty}});
    Vector y(12);
    for (Index i = 0; i < 12; ++i) y[i] = bench.label(i, GetParam().kinds);
    s.tell(internal::all_indices(12), y);
    return s;
  }
  /// m: |f| of the nearest separator of the user's own classifier.
  Vector distances(const Selector& s, const Process<Row>& process, double penalty) const {
    const auto c = Classifier<Row>::train(process.kernel(), bench.x(s.belief().order(), Eigen::all),
                                          s.classes(), {.penalty = penalty});
    return c.decision(bench.x).cwiseAbs().rowwise().minCoeff();
  }
};

TEST_P(EveryStrategyForClasses, AsksForTheBestByTheClassifierOfTheUser) {
  const double hard = std::numeric_limits<double>::infinity();
  for (const char* kernel : {"se(lengthscale=0.8)", "3 * matern32(lengthscale=[0.5, 2])"})
    for (const double penalty : {0.05, 10.0, hard}) {
      SCOPED_TRACE(std::string(kernel) + ", penalty " + std::to_string(penalty));
      const Process<Row> process(parse<Row>(kernel), zero_mean<Row>(), Noise::of(0.1));
      Selector s = of(process, penalty), other = of(process, 1);
      for (int round = 0; round < 8; ++round) {
        const Vector f = distances(s, process, penalty);
        const Choice c = s.suggest()[0];
        if (entry().machine) {
          double nearest = hard;
          for (Index i = 0; i < 120; ++i)
            if (s.is_open(i) || i == c.candidate) nearest = std::min(nearest, f[i]);
          EXPECT_NEAR(f[c.candidate], nearest, 2e-6) << c.candidate;  // twice the tolerance of a machine
          EXPECT_NEAR(c.score, 1 / (1 + nearest), 2e-6);
        } else {
          EXPECT_EQ(c.candidate, other.suggest()[0].candidate);
          other.tell(c.candidate, bench.label(c.candidate, GetParam().kinds));
        }
        s.tell(c.candidate, bench.label(c.candidate, GetParam().kinds));
      }
    }
}

/// A penalty that the strategy was given is the classifier's, and is checked.
TEST_P(EveryStrategyForClasses, OnePenaltyForStrategyAndClassifier) {
  if (!entry().machine) return;
  const Process<Row> process(parse<Row>("se(lengthscale=0.8)"), zero_mean<Row>(), Noise::of(0.1));
  Selector s(parse_strategy(GetParam().name + "(penalty=inf)"), pool_of<Row>(process, bench.x),
             {.kinds = GetParam().kinds, .svm = {.penalty = 3}});
  EXPECT_EQ(s.sight().svm.penalty, std::numeric_limits<double>::infinity());
  EXPECT_EQ(selector(bench.x).sight().svm.penalty, SvmOptions{}.penalty);
  EXPECT_NE(
      test::error_of([&] { selector(bench.x, {.svm = {.penalty = -1}}); }, Problem::usage).find("penalty"),
      std::string::npos);
}

/// Every bootstrap of a single label is that label.
TEST(Committee, AgreesWithOneLabel) {
  const Bench bench;
  for (const Index kinds : {0, 2, 3}) {
    Selector s(parse_strategy("committee"), bench.pool(bench.x), {.kinds = kinds});
    s.tell(7, 1);
    s.suggest();
    EXPECT_LT(s.scores().maxCoeff(), 1e-15) << kinds;
  }
}

bool for_classes(const StrategyEntry& e) { return !e.chance && e.applies(true); }
std::vector<Asked> with_classes() {
  std::vector<Asked> out = those(for_classes);
  std::erase_if(out, [](const Asked& a) { return a.kinds == 0; });
  return out;
}

std::string name_of(const testing::TestParamInfo<Asked>& info) {
  std::string name = info.param.name + (info.param.kinds ? std::to_string(info.param.kinds) : "");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryStrategy, testing::ValuesIn(those(any)), name_of);
INSTANTIATE_TEST_SUITE_P(Registry, EveryScoringStrategy, testing::ValuesIn(those(scoring)), name_of);
INSTANTIATE_TEST_SUITE_P(Registry, EveryDeterminedStrategy, testing::ValuesIn(those(determined)), name_of);
INSTANTIATE_TEST_SUITE_P(Registry, EveryStrategyForClasses, testing::ValuesIn(with_classes()), name_of);
INSTANTIATE_TEST_SUITE_P(Registry, EveryDrawingStrategy, testing::ValuesIn(those(drawing)), name_of);
INSTANTIATE_TEST_SUITE_P(Registry, EveryStrategyOfChance, testing::ValuesIn(those(of_chance)), name_of);

}  // namespace
}  // namespace covary::strategies_test
