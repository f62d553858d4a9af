// covary-mpi beside covary: the same answers, errors of any rank, a rank that is killed.
#include <chrono>
#include <cmath>
#include <thread>

#include "run_command.h"

namespace covary::cli {
namespace {

class Cluster : public Command {
 protected:
  /// covary-mpi ARGUMENTS on so many ranks, after `before` in the shell.
  Outcome on(int ranks, const std::string& arguments, const std::string& before = "") const {
    return shell(before + "\n" COVARY_MPIRUN " -n " + std::to_string(ranks) + " " COVARY_MPI_COMMAND " " +
                 arguments);
  }
  Outcome alone(const std::string& arguments) const { return shell("$covary " + arguments); }

  /// y = f(a, b) and some noise, n rows.
  void table(const std::string& name, int n) const {
    std::string text = "a,b,y\n";
    unsigned state = 1;
    const auto next = [&] { return double((state = state * 1664525U + 1013904223U) >> 8) / double(1 << 24); };
    for (int i = 0; i < n; ++i) {
      const double a = 6 * next(), b = 6 * next();
      text += std::to_string(a) + "," + std::to_string(b) + "," +
              std::to_string(std::sin(a) * b + 0.3 * next()) + "\n";
    }
    (void)file(name, text);
  }
  void SetUp() override {
    Command::SetUp();
    table("data.csv", 1300);
    table("points.csv", 60);
  }
};

void expect_near(const std::string& a, const std::string& b, const std::string& name, double tolerance) {
  const std::vector<double> x = column(a, name), y = column(b, name);
  ASSERT_EQ(x.size(), y.size());
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(x[i], y[i], tolerance * std::max(1.0, std::abs(x[i]))) << name << i;
}

const char* const given = "--kernel 'fixed(2 * matern52(lengthscale=[1.5, 2]))' --noise 0.01";

TEST_F(Cluster, FitsPredictsChecksAndSamplesAsOneProcess) {
  const std::string fit = std::string("fit data.csv -t y ") + given + " -o ";
  const Outcome one = alone(fit + "one.json --json");
  ASSERT_EQ(one.code, 0) << one.err;
  const double evidence = nlohmann::json::parse(one.out)["log_marginal_likelihood"];
  const Outcome predicted = alone("predict one.json points.csv --of y");
  const Outcome sampled = alone("sample one.json points.csv -n 3 --seed 5");
  const Outcome checked = alone("check one.json --json");
  for (int ranks = 1; ranks <= 4; ++ranks) {
    SCOPED_TRACE(ranks);
    const Outcome all = on(ranks, fit + "all.json --json");
    ASSERT_EQ(all.code, 0) << all.err;
    EXPECT_NEAR(nlohmann::json::parse(all.out)["log_marginal_likelihood"], evidence,
                1e-10 * std::abs(evidence));
    const Outcome p = on(ranks, "predict all.json points.csv --of y");
    ASSERT_EQ(p.code, 0) << p.err;
    expect_near(predicted.out, p.out, "mean", 1e-10);
    expect_near(predicted.out, p.out, "sd", 1e-10);
    const Outcome s = on(ranks, "sample all.json points.csv -n 3 --seed 5");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(cells(s.out).size(), cells(sampled.out).size());
    const Outcome c = on(ranks, "check all.json --json");
    ASSERT_EQ(c.code, 0) << c.err;
    EXPECT_NEAR(nlohmann::json::parse(c.out)["rmse"], double(nlohmann::json::parse(checked.out)["rmse"]),
                1e-9);
  }
}

TEST_F(Cluster, LearnsAsOneProcessDoes) {
  const std::string fit = "fit data.csv -t y --starts 2 --json -o ";
  const Outcome one = alone(fit + "one.json"), two = on(2, fit + "two.json");
  ASSERT_EQ(two.code, 0) << two.err;
  const double a = nlohmann::json::parse(one.out)["log_marginal_likelihood"],
               b = nlohmann::json::parse(two.out)["log_marginal_likelihood"];
  EXPECT_NEAR(a, b, 1e-5 * std::abs(a));
  EXPECT_NE(two.err.find("computed on cluster (2 ranks as 1 x 2"), std::string::npos) << two.err;
}

TEST_F(Cluster, ReadsAPipeAndPlacesSensors) {
  const Outcome piped = on(2, std::string("fit - -t y ") + given + " -q", "cat data.csv |");
  EXPECT_EQ(piped.code, 0) << piped.err;
  const Outcome one = alone("place points.csv -k 3 --kernel 'fixed(matern52(lengthscale=1))' --noise 0.1"),
                two = on(2, "place points.csv -k 3 --kernel 'fixed(matern52(lengthscale=1))' --noise 0.1");
  EXPECT_EQ(two.code, one.code) << two.err;
  EXPECT_EQ(two.out, one.out);
}

TEST_F(Cluster, SaysAnErrorOnceAndEndsWithItsCode) {
  const Outcome usage = on(3, "fit data.csv -t y --kernel 'sea()'");
  EXPECT_EQ(usage.code, 2) << usage.err;
  const size_t at = usage.err.find("sea");
  EXPECT_NE(at, std::string::npos) << usage.err;
  EXPECT_EQ(usage.err.find("covary: error", usage.err.find("covary: error") + 1), std::string::npos)
      << usage.err;
  EXPECT_TRUE(fails(on(2, "fit missing.csv -t y"), 3, "missing.csv: no such file"));
  EXPECT_TRUE(
      fails(on(2, "tell m.json data.csv"), 2, "covary-mpi runs fit, predict, sample, check and place"));
  EXPECT_TRUE(fails(alone("fit data.csv -t y --device cluster"), 2, "MPI was not initialized"));
  EXPECT_TRUE(
      fails(on(2, "fit data.csv -t y --inference 'inducing(points=20)'"), 2, "device cluster computes"));
}

TEST_F(Cluster, RefusesRanksThatAreNotAlike) {
  const std::string rank = " -n 1 " COVARY_MPI_COMMAND " fit data.csv -t y --seed ";
  const Outcome o = shell(COVARY_MPIRUN + rank + "1 :" + rank + "2");
  EXPECT_TRUE(fails(o, 2, "the arguments of rank 1: 'fit data.csv -t y --seed 2'"));
  EXPECT_TRUE(fails(shell("SLURM_STEP_NUM_TASKS=4 " COVARY_MPI_COMMAND " --version"), 2, "MPI sees one"));
}

TEST_F(Cluster, AnOutputThatCannotBeWrittenEndsAll) {
  const Outcome o = on(2, std::string("fit data.csv -t y ") + given + " -o nowhere/m.json");
  EXPECT_TRUE(fails(o, 1, "nowhere"));
}

/// Rank 1 dies of signal 9 in the middle of a fit: the run ends with a message, and the older model is as it was.
TEST_F(Cluster, EndsWhenARankIsKilled) {
  table("large.csv", 5000);
  (void)file("m.json", "older");
  const auto begin = std::chrono::steady_clock::now();
  const Outcome o =
      shell(COVARY_MPIRUN " -n 2 sh -c 'echo $$ > pid.$OMPI_COMM_WORLD_RANK; exec " COVARY_MPI_COMMAND
                          " fit large.csv -t y --starts 1 -o m.json' & "
                          "sleep 8; kill -9 $(cat pid.1); wait $!");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_NE(o.code, 0);
  EXPECT_NE(o.err.find("signal 9"), std::string::npos) << o.err;
  EXPECT_LT(took.count(), 60);
  EXPECT_EQ(contents(path("m.json")), "older");
  for (const std::string& name : files()) EXPECT_EQ(name.find("partial"), std::string::npos) << name;
}

}  // namespace
}  // namespace covary::cli
