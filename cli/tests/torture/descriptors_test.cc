// Closed or broken standard input, output and error.
#include "torture/torture.h"

namespace covary::cli::descriptors_test {
namespace {

class Descriptors : public Torture {
 protected:
  /// Two rows: fit and others have something to note.
  void SetUp() override {
    Torture::SetUp();
    file("two.csv", "x,y\n0,1\n1,2\n");
    model();
  }
};

// A model that is saved while standard error is closed holds no notes.
TEST_F(Descriptors, ClosedErrorNeverHitsAFile) {
  const Outcome open = shell("$covary fit two.csv -t y -o a.json");
  ASSERT_EQ(open.code, 0) << open.err;
  ASSERT_NE(open.err.find("note: "), std::string::npos) << "nothing is noted here any more: take other data";
  for (const char* closed : {"2>&-", "<&- 2>&-", "0<&- 1>/dev/null 2>&-"}) {
    EXPECT_EQ(shell(std::string("$covary fit two.csv -t y -o b.json ") + closed).code, 0) << closed;
    EXPECT_EQ(contents(path("b.json")), contents(path("a.json"))) << closed;
  }
}

// A note that is due does not abort a verb.
TEST_F(Descriptors, ClosedErrorAbortsNoVerb) {
  file("far.csv", "x,z\n100,1\n");
  file("more.csv", "x,y\n9,1\n9.5,1\n10,2\n10.5,1\n11,0\n11.5,1\n12,1\n12.5,1\n");
  for (const char* verb :
       {"predict m.json far.csv", "suggest m.json far.csv", "tell m.json more.csv -o n.json",
        "place d.csv -k 2 --kernel 'se(lengthscale=1)' --coordinates x", "plot m.json", "check m.json",
        "sample m.json far.csv"}) {
    const Outcome heard = shell(std::string("$covary ") + verb);
    ASSERT_EQ(heard.code, 0) << verb << "\n" << heard.err;
    for (const char* error : {"2>&-", "2>/dev/full"}) {
      const Outcome o = shell(std::string("$covary ") + verb + " " + error);
      EXPECT_EQ(o.code, 0) << verb << " " << error;
      EXPECT_EQ(o.out, heard.out) << verb << " " << error;
    }
  }
}

TEST_F(Descriptors, ClosedOutputIsAnError) {
  EXPECT_TRUE(fails(shell("$covary predict m.json d.csv >&-"), 1, "standard output cannot be written"));
  EXPECT_EQ(shell("$covary predict m.json d.csv -o p.csv >&-").code, 0);
  EXPECT_TRUE(fails(shell("$covary fit two.csv -t y -o b.json >&-"), 1, "b.json was written"));
  EXPECT_EQ(shell("$covary predict b.json two.csv").code, 0) << "the model is whole";
}

TEST_F(Descriptors, ClosedInputIsAnError) {
  EXPECT_TRUE(fails(shell("$covary predict m.json - <&-"), 3, "standard input: cannot be read"));
  EXPECT_TRUE(fails(shell("$covary predict - d.csv <&-"), 3, "standard input: cannot be read"));
}

}  // namespace
}  // namespace covary::cli::descriptors_test
