// Memory and stack are bounded, whatever is read.
#include <array>

#include "torture/torture.h"

namespace covary::cli::bounded_test {
namespace {

class Bounded : public Torture {
 protected:
  /// The script under a limit of 60 seconds and, unless a sanitizer needs more, of 4 GB.
  Outcome limited(const std::string& script) const {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const std::string memory;
#else
    const std::string memory = "ulimit -v 4000000; ";
#endif
    return shell(memory + "covary=\"timeout 60 $covary\"; " + script);
  }
};

TEST_F(Bounded, ZerosWithoutEnd) {
  model();
  EXPECT_TRUE(fails(limited("$covary predict /dev/zero d.csv"), 3, "/dev/zero: not a Covary model file"));
  EXPECT_TRUE(fails(limited("$covary predict m.json /dev/zero"), 3, "/dev/zero, line 1: a NUL byte"));
  EXPECT_TRUE(
      fails(limited("$covary tell /dev/zero d.csv -o n.json"), 3, "/dev/zero: not a Covary model file"));
  EXPECT_TRUE(fails(limited("$covary plot - </dev/zero"), 3, "standard input: not a Covary model file"));
  EXPECT_TRUE(fails(limited("$covary fit /dev/zero -t y"), 3, "a NUL byte"));
  EXPECT_TRUE(fails(limited("$covary check /dev/zero -t y"), 3, "a NUL byte"));
}

TEST_F(Bounded, ALineWithoutEnd) {
  model();
  EXPECT_TRUE(
      fails(limited("yes 1 | tr -d '\\n' | $covary predict m.json -"), 5, "a row is longer than 64 MiB"));
  EXPECT_TRUE(
      fails(limited("(echo 'x,y'; yes 1 | tr -d '\\n') | $covary predict m.json -"), 5, "line 2: a row is"));
  EXPECT_TRUE(
      fails(limited("(echo x; printf '\"'; yes 1) | $covary predict m.json -"), 5, "line 2: a row is"));
  EXPECT_TRUE(fails(limited("yes , | tr -d '\\n' | $covary predict m.json -"), 5, "at most 1000000 columns"));
}

TEST_F(Bounded, AModelWithoutEnd) {
  const Outcome o =
      limited("(printf '{\"format\":\"covary model\",\"a\":['; yes 0,) | $covary predict - d.csv");
  EXPECT_TRUE(fails(o, 5, "GiB are free"));
}

// 20 kB to 100 kB that unpack to a thousand times as much.
TEST_F(Bounded, AGzipBomb) {
  model();
  EXPECT_TRUE(fails(limited("head -c 20000000 /dev/zero | tr '\\0' , | gzip -1 >b.gz; $covary fit b.gz -t y"),
                    5, "at most 1000000 columns"));
  EXPECT_LT(fs::file_size(path("b.gz")), 1000000U);
  EXPECT_TRUE(fails(limited("head -c 80000000 /dev/zero | tr '\\0' 1 | gzip -1 >b.gz; $covary fit b.gz -t y"),
                    5, "a row is longer than 64 MiB"));
}

// A table that outgrows the memory is refused while it is read.
TEST_F(Bounded, SlowATableLargerThanMemory) {
  const Outcome o = shell(
      "(echo x,y; yes 1,2 | head -n 100000000) | gzip -1 >b.gz; ulimit -v 700000; timeout 100 $covary fit "
      "b.gz -t y");
  EXPECT_TRUE(fails(o, 5, "b.gz: a table of more than"));
}

// A stream without end is not copied until the disk is full.
TEST_F(Bounded, AStreamWithoutEnd) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs address space of its own";
#endif
  EXPECT_TRUE(fails(shell("ulimit -v 900000; yes 1,2 | timeout 60 $covary fit - -t x2"), 5,
                    "GiB, what there is room for in a temporary copy"));
}

// OpenBLAS would look for memory for ever. Below 150 MB the program may not even be loaded (127), or OpenBLAS end
// it before it begins, for want of a thread (130).
TEST_F(Bounded, LittleAddressSpace) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs address space of its own";
#endif
  file("d.csv", wave(8));
  for (int kb = 60000; kb <= 1000000; kb += kb < 400000 ? 20000 : 100000) {
    const Outcome o =
        shell("ulimit -v " + std::to_string(kb) + "; timeout 20 $covary fit d.csv -t y --starts 1");
    EXPECT_TRUE(o.code == 0 || o.code == 5 || ((o.code == 127 || o.code == 130) && kb < 150000))
        << kb << ": " << o.code << o.err;
    if (o.code == 5) {
      EXPECT_NE(o.err.find("GiB"), std::string::npos) << kb << o.err;
    }
  }
}

// Brackets within brackets on a small stack, of as many kB; frames are several times as large under a
// sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const std::string small_stack = "ulimit -s 1024; ";
#else
const std::string small_stack = "ulimit -s 256; ";
#endif

TEST_F(Bounded, DeepBracketsOnASmallStack) {
  file("d.csv", wave(8));
  model();
  const auto nested = [](const std::string& open, const std::string& inner, const std::string& close, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += open;
    out += inner;
    for (int i = 0; i < n; ++i) out += close;
    return out;
  };
  for (const int n : {40, 50, 51, 200, 2000}) {
    for (const auto& [open, inner, close] :
         std::vector<std::array<std::string, 3>>{{"(", "se()", ")"},
                                                 {"fixed(", "se(lengthscale=1)", ")"},
                                                 {"on(x, ", "se()", ")"},
                                                 {"(se() + ", "se()", ")"},
                                                 {"2 * (", "se()", " + linear())"}}) {
      const Outcome o = shell(small_stack + "$covary fit d.csv -t y --max-seconds 0.05 --starts 1 -k '" +
                              nested(open, inner, close, n) + "'");
      EXPECT_TRUE(o.code == 0 || fails(o, 2, "position")) << n << open << o.err.substr(0, 300);
      if (n > 50) {
        EXPECT_TRUE(fails(o, 2, "brackets are nested deeper than 50")) << n << open;
      }
    }
    for (const auto& [open, inner, close] : std::vector<std::array<std::string, 3>>{
             {"(", "x", ")"}, {"sin(", "x", ")"}, {"-", "x", ""}, {"x^", "x", ""}, {"(1+", "x", ")"}}) {
      const Outcome o = shell(small_stack + "$covary fit d.csv -t y --model linear --basis=' " +
                              nested(open, inner, close, n) + "'");
      EXPECT_LT(o.code, 128) << n << open << o.err.substr(0, 300);
      if (n > 50) {
        EXPECT_TRUE(fails(o, 2, "nested deeper than 50")) << n << open;
      }
    }
    const Outcome mean =
        shell(small_stack + "$covary fit d.csv -t y -m '" + nested("(", "zero", ")", n) + "'");
    EXPECT_TRUE(mean.code < 128) << n;
    file("deep.json", nested("[", "", "]", n));
    EXPECT_TRUE(
        fails(shell(small_stack + "$covary predict deep.json d.csv"), 3, "deep.json: not a Covary model"));
    file("deep.json", "{\"format\":" + nested("[", "", "]", n) + "}");
    EXPECT_TRUE(fails(shell(small_stack + "$covary predict deep.json d.csv"), 3, "deep.json: "));
  }
}

}  // namespace
}  // namespace covary::cli::bounded_test
