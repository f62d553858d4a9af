// Real pools of classes: what is asked for is the nearest to the separator of the user's own classifier,
// and every strategy has something to ask. Skipped where the data are not there.
#include <filesystem>
#include <map>

#include "covary/select/replay.h"
#include "covary/table/table.h"
#include "support.h"

namespace covary::real_pools_test {
namespace {

struct RealPool {
  Matrix x;
  std::vector<Index> kind;
  Index kinds = 0;
};

/// The last column is the class, the others are inputs.
RealPool read(const std::string& path) {
  const Table table = read_csv_file(path);
  std::vector<std::string> inputs;
  for (const std::string& name : table.names()) inputs.push_back(name);
  const Column& target = table.column(inputs.back());
  inputs.pop_back();
  RealPool out;
  std::vector<Index> rows = internal::all_indices(std::min<Index>(table.rows(), 500));
  out.x = internal::numbers(table, inputs, rows);
  std::map<std::string, Index> known;
  for (const Index r : rows) {
    const auto i = static_cast<size_t>(r);
    const std::string word =
        target.kind == Column::Kind::text ? target.texts[i] : std::to_string(target.values[i]);
    out.kind.push_back(known.emplace(word, std::ssize(known)).first->second);
  }
  out.kinds = std::ssize(known);
  return out;
}

class RealPools : public testing::TestWithParam<const char*> {
 protected:
  std::string path = std::string(COVARY_SHARED_DATA "/classify/") + GetParam();
  void SetUp() override {
    if (!std::filesystem::exists(path))
      GTEST_SKIP() << GetParam() << " is not in " COVARY_SHARED_DATA "/classify";
  }
  /// Labels at the first 20 rows of a shuffled pool.
  static Selector begun(const RealPool& p, const std::string& strategy, const Process<Row>& prior,
                        double penalty) {
    Selector s(parse_strategy(strategy), pool_of<Row>(prior, p.x),
               {.seed = 3, .kinds = p.kinds, .svm = {.penalty = penalty}, .threads = 1});
    for (const Index i : Random(4).subset(p.x.rows(), 20)) s.tell(i, double(p.kind[static_cast<size_t>(i)]));
    return s;
  }
};

TEST_P(RealPools, TheNearestToTheUsersSeparatorIsAskedFor) {
  const RealPool p = read(path);
  const Process<Row> prior(internal::scaled_to(parse<Row>("se()"), p.x), zero_mean<Row>(), Noise::of(0.1));
  for (const double penalty : {1.0, std::numeric_limits<double>::infinity()}) {
    Selector s = begun(p, "svm-margin", prior, penalty);
    for (int round = 0; round < 15; ++round) {
      const auto user = Classifier<Row>::train(prior.kernel(), p.x(s.belief().order(), Eigen::all),
                                               s.classes(), {.penalty = penalty});
      const Matrix f = user.decision(p.x, 1);
      const Index asked = s.suggest()[0].candidate;
      double nearest = std::numeric_limits<double>::infinity();
      for (Index i = 0; i < f.rows(); ++i)
        if (i == asked || s.is_open(i)) nearest = std::min(nearest, f.row(i).cwiseAbs().minCoeff());
      EXPECT_NEAR(f.row(asked).cwiseAbs().minCoeff(), nearest, 2e-6) << round;
      s.tell(asked, double(p.kind[static_cast<size_t>(asked)]));
    }
  }
}

TEST_P(RealPools, EveryStrategyForClassesAsks) {
  const RealPool p = read(path);
  const Process<Row> prior(internal::scaled_to(parse<Row>("se()"), p.x), zero_mean<Row>(), Noise::of(0.1));
  for (const StrategyEntry& e : strategies()) {
    if (!e.applies(true) || !e.pool) continue;
    Selector s = begun(p, e.name, prior, 10);
    const std::vector<Choice> batch = s.suggest(3);
    EXPECT_EQ(batch.size(), 3u) << e.name;
    EXPECT_TRUE(s.scores().allFinite()) << e.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Classify, RealPools,
                         testing::Values("sonar.csv.gz", "ionosphere.csv.gz", "pimaindiansdiabetes.csv.gz",
                                         "wdbc.csv", "vowel.csv.gz"),
                         [](const auto& tested) {
                           const std::string name = tested.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace covary::real_pools_test
