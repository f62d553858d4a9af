// Models under a name that ends in .covary: every verb reads them, tell keeps them so, and they say the same.
#include <cmath>

#include "torture/torture.h"

namespace covary::cli::binary_model_test {
namespace {

class BinaryModelFile : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::string rows = "x,y\n";
    for (int i = 0; i < 300; ++i) {
      const double x = 0.05 * i;
      rows += std::to_string(x) + "," + std::to_string(std::sin(x) + 0.1 * std::sin(77.7 * i)) + "\n";
    }
    file("rows.csv", rows);
    file("at.csv", "x\n0.05\n3.33\n9\n");
    file("more.csv", "x,y\n19,0.4\n19.5,0\n");
    for (const char* name : {"m.json", "m.covary"})
      ASSERT_EQ(
          shell(std::string("$covary fit rows.csv -t y --kernel 'fixed(se(lengthscale=1))' --noise 0.01 "
                            "-q -o ") +
                name)
              .code,
          0);
  }
  /// What the verb prints of either file.
  void same(const std::string& verb, const std::string& rest) {
    const Outcome a = shell("$covary " + verb + " m.json " + rest),
                  b = shell("$covary " + verb + " m.covary " + rest);
    EXPECT_EQ(a.code, 0) << a.err;
    EXPECT_EQ(b.code, 0) << b.err;
    EXPECT_EQ(a.out, b.out) << verb;
  }
};

TEST_F(BinaryModelFile, EveryVerbReadsIt) {
  EXPECT_EQ(contents(path("m.json")).front(), '{');
  EXPECT_GT(contents(path("m.covary")).size(), size_t{8 * 300 * 300 / 2}) << "with the factor";
  same("predict", "at.csv");
  same("predict", "at.csv -o p.csv --joint -");
  same("sample", "at.csv -n 2");
  same("check", "");
  same("check", "rows.csv");
  same("suggest", "at.csv");
  same("plot", "-o -");
  same("place at.csv -k 1 --model", "");
  const Outcome piped = shell("cat m.covary | $covary predict - at.csv");
  EXPECT_EQ(piped.out, shell("$covary predict m.json at.csv").out) << piped.err;
}

TEST_F(BinaryModelFile, TellKeepsTheFormat) {
  for (const char* name : {"m.json", "m.covary"})
    ASSERT_EQ(shell(std::string("$covary tell ") + name + " more.csv -q").code, 0) << name;
  EXPECT_NE(contents(path("m.covary")).front(), '{');
  same("predict", "at.csv");
  ASSERT_EQ(shell("$covary tell m.covary more.csv --repeat -q -o other.json").code, 0);
  EXPECT_EQ(contents(path("other.json")).front(), '{') << "the name decides";
}

TEST_F(BinaryModelFile, DamageIsRefused) {
  std::string bytes = contents(path("m.covary"));
  bytes[bytes.size() - 100] ^= 1;
  file("m.covary", bytes);
  EXPECT_TRUE(fails(shell("$covary predict m.covary at.csv"), 3, "the checksum of 'factor' does not match"));
  file("m.covary", bytes.substr(0, bytes.size() / 2));
  EXPECT_TRUE(fails(shell("$covary predict m.covary at.csv"), 3, "cut short"));
  file("m.covary", std::string(8, '\x10') + "{}");
  EXPECT_TRUE(fails(shell("$covary predict m.covary at.csv"), 3, "m.covary"));
}

}  // namespace
}  // namespace covary::cli::binary_model_test
