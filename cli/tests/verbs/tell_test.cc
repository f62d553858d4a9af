// covary tell: what was told is kept, once, and the exit status says whether it was.
#include <sys/stat.h>

#include <optional>

#include "covary/base/file_lock.h"
#include "torture/torture.h"

namespace covary::cli::tell_test {
namespace {

class Tell : public Torture {
 protected:
  void SetUp() override {
    Torture::SetUp();
    model();
    before_ = contents(path("m.json"));
  }
  Outcome tell(const std::string& csv, Strings more = {}) {
    Strings all{"tell", "m.json", file("more.csv", csv)};
    all.insert(all.end(), more.begin(), more.end());
    return covary(all);
  }
  size_t rows() const {
    const std::string text = contents(path("m.json"));
    const nlohmann::json j = nlohmann::json::parse(text);
    return j["model"]["data"]["y"].size();
  }
  bool unchanged() const { return contents(path("m.json")) == before_; }
  std::string before_;
};

// 8 processes of 10 tells each on one model keep 80 rows.
TEST_F(Tell, ManyProcessesLoseNoRow) {
  const Outcome o = shell(
      "for p in 1 2 3 4 5 6 7 8; do (for i in 0 1 2 3 4 5 6 7 8 9; do "
      "printf 'x,y\\n%s.%s,1\\n' $((10 + p)) $i | $covary tell m.json - -q --threads 1 >/dev/null || echo "
      "lost; "
      "done) & done; wait");
  EXPECT_EQ(o.out, "") << o.err;
  EXPECT_EQ(rows(), 88U);
  EXPECT_EQ(covary({"predict", "m.json", "d.csv"}).code, 0);
  EXPECT_EQ(files(), Strings({"d.csv", "m.json"}));
}

// A process that is killed while it holds the lock blocks nobody, and leaves nothing.
TEST_F(Tell, AKilledProcessBlocksNobody) {
  for (int i = 0; i < 5; ++i) {
    file("one.csv", "x,y\n" + std::to_string(20 + i) + ",1\n");
    file(".stdin", "");
    const pid_t child =
        start({"tell", "m.json", "one.csv"}, path(".stdin"), path(".stdout"), path(".stderr"));
    ::usleep(static_cast<useconds_t>(4000 * i));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const size_t now = rows();
    EXPECT_EQ(tell("x,y\n" + std::to_string(40 + i) + ",1\n").code, 0);
    EXPECT_EQ(rows(), now + 1);
  }
  EXPECT_EQ(files(), Strings({"d.csv", "m.json", "more.csv", "one.csv"}));
}

// Whoever writes a model waits for another that is changing it, and says so.
TEST_F(Tell, AFitAndATellWaitForTheirTurn) {
  file("one.csv", "x,y\n20,1\n");
  file(".stdin", "");
  const std::vector<Strings> writers{
      {"tell", "m.json", "one.csv"},
      {"tell", "m.json", "d.csv", "--repeat", "-o", "other.json"},
      {"fit", "d.csv", "-t", "y", "-k", "fixed(se(lengthscale=2))", "--noise", "0.1", "-o", "m.json"}};
  for (const Strings& writer : writers) {
    const std::string target = path(writer.back().ends_with(".json") ? writer.back() : "m.json");
    if (!fs::exists(target)) file("other.json", "x");
    const std::string before = contents(target);
    std::optional<internal::FileLock> lock(target);
    file(".stderr", "");
    const pid_t child = start(writer, path(".stdin"), path(".stdout"), path(".stderr"));
    for (int i = 0; i < 1200 && contents(path(".stderr")).find("waiting for another") == std::string::npos;
         ++i)
      ::usleep(50'000);
    EXPECT_NE(contents(path(".stderr")).find("waiting for another covary that is changing "),
              std::string::npos);
    EXPECT_EQ(contents(target), before);
    lock.reset();
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0) << contents(path(".stderr"));
    EXPECT_NE(contents(target), before);
  }
}

// A model that another process replaces meanwhile is not put back. The report waits in a full pipe until
// then.
TEST_F(Tell, AModelReplacedMeanwhileIsKept) {
  ASSERT_EQ(
      shell("mkfifo pipe; $covary fit d.csv -t y -k 'fixed(se(lengthscale=2))' --noise 0.1 -o n.json").code,
      0);
  const Outcome o = shell(
      "printf 'x,y\\n9,1\\n' >one.csv; (exec 3<pipe; sleep 1; cp n.json new; mv new m.json; cat <&3 "
      ">/dev/null) & "
      "exec 4>pipe; head -c 65536 /dev/zero >&4; $covary tell m.json one.csv >&4; echo $?; exec 4>&-; wait");
  EXPECT_TRUE(o.out == "1\n" || o.out == "0\n") << o.out << o.err;
  EXPECT_EQ(o.out == "1\n", contents(path("m.json")) == contents(path("n.json"))) << o.err;
}

// A result that is not finite is not saved, and the exit status says so.
TEST_F(Tell, WhatIsNotFiniteIsNotSaved) {
  for (const char* y : {"1e308", "-1e308", "1e200", "1e155"}) {
    const Outcome o = tell("x,y\n9,1\n9.25," + std::string(y) + "\n");
    EXPECT_TRUE(fails(o, 4, "nothing was saved")) << y;
    EXPECT_TRUE(fails(o, 4, "line 3")) << y;
    EXPECT_TRUE(unchanged()) << y;
  }
  EXPECT_EQ(tell("x,y\n9,1e100\n").code, 0) << "large is not infinite";
}

TEST_F(Tell, TheSameFileTwiceIsRefused) {
  const std::string news = "x,y\n9,1\n9.5,0.5\n";
  ASSERT_EQ(tell(news).code, 0);
  const std::string once = contents(path("m.json"));
  EXPECT_TRUE(fails(tell(news), 3, "2 of 2 rows are in m.json already"));
  EXPECT_TRUE(fails(tell(news), 3, "(line 2, 3)"));
  EXPECT_TRUE(fails(tell(news), 3, "--repeat"));
  EXPECT_EQ(contents(path("m.json")), once);
  EXPECT_EQ(tell(news, {"--repeat"}).code, 0);
  EXPECT_EQ(rows(), 12U);
}

// A file that grows is told again.
TEST_F(Tell, OnlyNewRowsOfAFileThatGrows) {
  ASSERT_EQ(tell("x,y\n9,1\n9.5,0.5\n").code, 0);
  const std::string grown = "x,y\n9,1\n9.5,0.5\n9,1\n10,0.25\n";
  EXPECT_TRUE(fails(tell(grown), 3, "2 of 4 rows are in m.json already"));
  EXPECT_EQ(tell(grown, {"--only-new"}).code, 0);
  EXPECT_EQ(rows(), 12U) << "the second measurement at 9 is one of its own";
  const std::string before = contents(path("m.json"));
  EXPECT_TRUE(notes(tell(grown, {"--only-new"}), "is unchanged"));
  EXPECT_EQ(contents(path("m.json")), before);
  EXPECT_TRUE(fails(tell(grown, {"--only-new", "--repeat"}), 2, "give one of them"));
}

// Repeats that are no copies.
TEST_F(Tell, TrueRepeatsAreTold) {
  EXPECT_EQ(tell("x,y\n9,1\n9,1\n").code, 0) << "twice in one file: measured twice";
  EXPECT_EQ(tell("x,y\n0,0.5\n").code, 0) << "the same input, another value";
  EXPECT_EQ(rows(), 11U);
  EXPECT_TRUE(fails(tell("x,y\n-0,0\n"), 3, "1 of 1 row is in m.json already")) << "0 is -0";
}

// The note that fit gives.
TEST_F(Tell, ConflictingRepeatsOfExactModelsAreNoted) {
  const Strings exact{"--kernel", "fixed(se(lengthscale=1))", "--noise", "0"};
  ASSERT_TRUE(notes(fit(wave(8) + "0,1\n", exact), "noise cannot be 0: repeated inputs have different"));
  ASSERT_EQ(fit(wave(8), exact).code, 0);
  EXPECT_TRUE(notes(tell("x,y\n0,1\n"), "noise cannot be 0: repeated inputs have different observations"));
}

// An error means that the rows are not kept.
TEST_F(Tell, ExitStatusSaysWhetherTheRowsAreKept) {
  file("more.csv", "x,y\n9,1\n");
  for (const char* out : {">/dev/full", ">&-"}) {
    const Outcome o = shell(std::string("$covary tell m.json more.csv ") + out);
    EXPECT_TRUE(fails(o, 1, "standard output cannot be written")) << out;
    EXPECT_TRUE(unchanged()) << out;
  }
  const Outcome gone = shell("{ sleep 0.2; $covary tell m.json more.csv; echo $? >&2; } | true");
  EXPECT_EQ(gone.err, "141\n");
  EXPECT_TRUE(unchanged()) << "nobody read what it said";
  EXPECT_EQ(shell("$covary tell m.json more.csv >out.txt").code, 0);
  EXPECT_EQ(rows(), 9U);
}

TEST_F(Tell, AReadOnlyModelIsToldElsewhere) {
  fs::permissions(path("m.json"), fs::perms::owner_read);
  EXPECT_EQ(tell("x,y\n9,1\n", {"-o", "n.json"}).code, 0);
  if (::geteuid() != 0) {
    EXPECT_TRUE(fails(tell("x,y\n9,1\n"), 1, "m.json: cannot be written: no permission"));
  }
  EXPECT_TRUE(unchanged() || ::geteuid() == 0);
}

// Somebody else's model stays theirs.
TEST_F(Tell, OwnershipIsKept) {
  fs::permissions(path("m.json"), static_cast<fs::perms>(0640));
  if (::chown(path("m.json").c_str(), 12345, 23456) != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(tell("x,y\n9,1\n").code, 0);
  struct stat is {};
  ASSERT_EQ(::stat(path("m.json").c_str(), &is), 0);
  EXPECT_EQ(is.st_uid, 12345U);
  EXPECT_EQ(is.st_gid, 23456U);
  EXPECT_EQ(is.st_mode & 07777, 0640U);
}

}  // namespace
}  // namespace covary::cli::tell_test
