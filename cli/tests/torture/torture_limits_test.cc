// What was typed is impossible, or too large.
#include <sys/resource.h>

#include "covary/base/runtime.h"
#include "torture/torture.h"

namespace covary::cli::torture_limits_test {
namespace {

TEST_F(Torture, Case18ParametersOutOfRange) {
  for (const char* kernel :
       {"se(lengthscale=0)", "se(lengthscale=-1)", "se(lengthscale=nan)", "se(lengthscale=1e-320)",
        "se(lengthscale=1e308)", "periodic(period=0)", "periodic(period=-2)", "-1 * se()", "0 * se()",
        "fixed(1e308 * se(lengthscale=1))"}) {
    const Outcome o = fit(wave(6), {"--kernel", kernel});
    EXPECT_EQ(o.code, 2) << kernel << "\n" << o.err << o.out;
    EXPECT_FALSE(fs::exists(path("m.json")));
  }
  for (const char* noise : {"-1", "nan", "inf", "1e309", "lots", ""})
    EXPECT_TRUE(fails(fit(wave(6), {"--noise", noise}), 2, "noise")) << noise;
}

TEST_F(Torture, Case19KernelExpressions) {
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", ""}), 2, "position 1"));
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", "se("}), 2, "position"));
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", "(se() + linear()"}), 2, "position"));
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", "matern52() + matren32()"}), 2, "did you mean 'matern32'?"));
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", "s\xC3\xA9()"}), 2, "position"));
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", "on(z, se())"}), 2, "z"));
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", "se(lenghtscale=1)"}), 2, "did you mean 'lengthscale'?"));
  const std::string deep = std::string(10000, '(') + "se()" + std::string(10000, ')');
  EXPECT_EQ(fit(wave(6), {"--kernel", deep}).code, 2);
}

TEST_F(Torture, Case21TooLargeForMemory) {
  std::string csv = "x,y\n";
  for (int i = 0; i < 400000; ++i) csv += std::to_string(i) + "," + std::to_string(i % 7) + "\n";
  const Outcome o =
      covary({"fit", file("d.csv", csv), "--target", "y", "--inference", "exact()", "-o", "m.json"});
  EXPECT_TRUE(fails(o, 5, "GiB"));
  EXPECT_FALSE(fs::exists(path("m.json")));
}

/// Peak memory in MB of a script that runs the command last.
double peak_mb(const std::function<Outcome()>& run) {
  struct rusage before {};
  ::getrusage(RUSAGE_CHILDREN, &before);
  const Outcome o = run();
  EXPECT_EQ(o.code, 0) << o.err;
  struct rusage after {};
  ::getrusage(RUSAGE_CHILDREN, &after);
  return double(after.ru_maxrss) * 1024 / 1e6;
}

/// Rows of 400 letters and a number, written as they are made: a child is as large as its parent until it
/// runs something else.
void write_wide(const std::string& path, int rows) {
  std::ofstream out(path);
  out << "x,z\n";
  for (int i = 0; i < rows; ++i)
    out << std::to_string(i % 1000 * 0.01) << ',' << std::string(400, 'z') << '\n';
}

// The file is some 60 MB. RUSAGE_CHILDREN keeps the largest peak of any child so far, so the small one is
// first.
TEST_F(Torture, Case20MemoryIsThatOfABlock) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer keeps memory of its own";
#endif
  model();
  write_wide(path("many.csv"), 150000);
  write_wide(path("few.csv"), 1000);
  const double few = peak_mb([&] { return shell("$covary predict m.json few.csv -q -o /dev/null"); });
  if (few > 60) GTEST_SKIP() << "an earlier test had a larger child: run this one alone, as ctest does";
  const double many = peak_mb([&] { return shell("$covary predict m.json many.csv -q -o many.out"); });
  const double pipe =
      peak_mb([&] { return shell("cat many.csv | $covary predict m.json - -q -o pipe.out"); });
  EXPECT_LT(many - few, 25) << few;
  EXPECT_LT(pipe - few, 25) << few;
  EXPECT_EQ(std::system(("cmp -s '" + path("many.out") + "' '" + path("pipe.out") + "'").c_str()), 0);
  EXPECT_GT(fs::file_size(path("many.out")), fs::file_size(path("many.csv")));
}

TEST_F(Torture, Case22MoreThanTwoToThe31Elements) {
  const double too_many =
      std::sqrt(1.2 * double(internal::memory_available()) / 8);  // n x n doubles do not fit
  const int n = std::max(50000, static_cast<int>(too_many));
  std::string csv = "x,y\n";
  for (int i = 0; i < n; ++i) csv += std::to_string(i) + "," + std::to_string(i % 7) + "\n";
  EXPECT_TRUE(fails(fit(csv, {"--inference", "exact()"}), 5, "GiB"));
  EXPECT_FALSE(fs::exists(path("m.json")));
  model();
  const Outcome joint = predicted(csv, {"--joint", "c.csv", "-o", "o.csv"});
  EXPECT_TRUE(fails(joint, 5, "--joint of " + std::to_string(n) + " rows needs"));
  EXPECT_FALSE(fs::exists(path("o.csv")));
  EXPECT_FALSE(fs::exists(path("c.csv")));
}

}  // namespace
}  // namespace covary::cli::torture_limits_test
