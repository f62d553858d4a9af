// The file of covary replay -o: not overwritten by accident, resumed run by whole run.
#include <thread>

#include "torture/torture.h"

namespace covary::cli::learn_results_test {
namespace {

class LearnResults : public Torture {
 protected:
  Outcome learn(Strings more, int repeats = 2) {
    if (!fs::exists(path("pool.csv"))) file("pool.csv", wave(40));
    Strings all{"replay",     "pool.csv",    "-t",         "y",
                "--budget",   "6",           "--start",    "2",
                "--relearn",  "0",           "-k",         "fixed(se(lengthscale=1))",
                "--noise",    "0.01",        "--strategy", "random",
                "--strategy", "uncertainty", "--repeats",  std::to_string(repeats),
                "-o",         "r.csv"};
    all.insert(all.end(), more.begin(), more.end());
    return covary(all);
  }
  Strings lines() const {
    Strings out;
    std::istringstream in(contents(path("r.csv")));
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }
  void put(const Strings& all) const {
    std::string text;
    for (const std::string& line : all) text += line + "\n";
    file("r.csv", text);
  }
};

TEST_F(LearnResults, AreNotOverwritten) {
  ASSERT_EQ(learn({}).code, 0);
  const std::string first = contents(path("r.csv"));
  EXPECT_TRUE(
      fails(learn({"--seed", "2"}), 2, "r.csv exists: --resume goes on with the runs in it, --overwrite"));
  EXPECT_EQ(contents(path("r.csv")), first);
  EXPECT_TRUE(fails(learn({"--resume", "--overwrite"}), 2, "give one"));
  EXPECT_EQ(learn({"--seed", "2", "--overwrite"}).code, 0);
  EXPECT_NE(contents(path("r.csv")), first);
  file("r.csv", "");
  EXPECT_EQ(learn({}).code, 0) << "an empty file has nothing to lose";
  EXPECT_EQ(contents(path("r.csv")), first);
}

// A run is whole or redone.
TEST_F(LearnResults, HalfARunIsRunAgain) {
  ASSERT_EQ(learn({}).code, 0);
  const std::string whole = contents(path("r.csv"));
  const Strings all = lines();
  ASSERT_EQ(all.size(), 21U);  // a header, four runs of 2 to 6 labels
  for (const size_t keep : {0U, 1U, 2U, 5U, 6U, 8U, 11U, 20U}) {
    put({all.begin(), all.begin() + std::ptrdiff_t(keep)});
    const Outcome o = learn({"--resume"});
    EXPECT_EQ(o.code, 0) << keep << o.err;
    EXPECT_EQ(contents(path("r.csv")), whole) << keep;
    const bool half = keep > 1 && keep % 5 != 1;
    EXPECT_EQ(o.err.find("it is run again") != std::string::npos, half) << keep << o.err;
  }
  for (size_t n = 0; n <= whole.size(); n += 97) {  // cut anywhere
    file("r.csv", whole.substr(0, n));
    const Outcome o = learn({"--resume"});
    if (n > 0 && n < all[0].size()) continue;
    EXPECT_EQ(o.code, 0) << n << o.err;
    EXPECT_EQ(contents(path("r.csv")), whole) << n;
  }
  Strings without = all;  // the end of one run, and the next begins
  without.erase(without.begin() + 4, without.begin() + 6);
  put(without);
  EXPECT_TRUE(notes(learn({"--resume"}), "run 1 of random is cut off after 3 lines: it is run again"));
  EXPECT_EQ(contents(path("r.csv")), whole);
}

// Each line has a check.
TEST_F(LearnResults, ChangedLinesAreRefused) {
  ASSERT_EQ(learn({}).code, 0);
  const Strings all = lines();
  for (const size_t line : {1U, 3U, 5U, 20U}) {
    Strings changed = all;
    const size_t digit = changed[line].find_last_of("123456789", changed[line].find("\"budget\""));
    changed[line][digit] = changed[line][digit] == '9' ? '8' : '9';
    put(changed);
    EXPECT_TRUE(fails(learn({"--resume"}), 3, "r.csv, line " + std::to_string(line + 1) + ": this line"))
        << line;
    EXPECT_EQ(lines(), changed) << "nothing is written over";
  }
  Strings without = all;
  without.erase(without.begin() + 3);
  put(without);
  EXPECT_TRUE(fails(learn({"--resume"}), 3, "line 4: this line, or one before it"));
  Strings swapped = all;
  std::swap(swapped[2], swapped[3]);
  put(swapped);
  EXPECT_TRUE(fails(learn({"--resume"}), 3, "line 3: this line"));
  put({all[0], "nonsense"});
  EXPECT_EQ(learn({"--resume"}).code, 3);
  file("r.csv", "a,b\n1,2\n");
  EXPECT_TRUE(fails(learn({"--resume"}), 3, "not a file of covary replay"));
  put(all);
  EXPECT_TRUE(fails(learn({"--resume", "--seed", "7"}), 3, "made from other data or with other options"));
}

// Runs of strategies that are not asked for this time stay in the file.
TEST_F(LearnResults, OtherRunsStay) {
  ASSERT_EQ(learn({}, 3).code, 0);
  const Strings all = lines();
  EXPECT_EQ(learn({"--resume"}, 1).code, 0);
  Strings now = lines();
  EXPECT_EQ(Strings(now.begin(), now.begin() + 1), Strings(all.begin(), all.begin() + 1));
  Strings sorted_all = all;
  std::sort(sorted_all.begin(), sorted_all.end());
  std::sort(now.begin(), now.end());
  EXPECT_EQ(now, sorted_all);
}

// Two that go on with the same file take turns, also when the first has replaced it in between.
TEST_F(LearnResults, ASecondOneWaits) {
  file("pool.csv", wave(400));
  file(".stdin", "");
  const auto begin = [&](const std::string& name) {
    return start({"replay", "pool.csv", "-t", "y", "--strategy", "random", "--budget", "30", "--repeats",
                  "10000", "-o", "r.csv", "--resume"},
                 path(".stdin"), path(".stdout" + name), path(".stderr" + name));
  };
  const auto until = [&](const auto& holds) {
    for (int i = 0; i < 2400 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return holds();
  };
  const auto says = [&](const std::string& name, const std::string& part) {
    return contents(path(".stderr" + name)).find(part) != std::string::npos;
  };
  const pid_t first = begin("1");
  ASSERT_TRUE(until([&] { return fs::exists(path("r.csv")); }));
  const pid_t second = begin("2");
  ASSERT_TRUE(until([&] { return says("2", "waiting for another covary that is changing r.csv"); }));
  const size_t before = lines().size();
  ASSERT_TRUE(until([&] { return lines().size() > before; })) << "the first goes on";
  EXPECT_FALSE(says("2", "taken over"));
  int status = 0;
  ::kill(first, SIGINT);
  ::waitpid(first, &status, 0);
  EXPECT_TRUE(until([&] { return says("2", "taken over from r.csv"); }));
  ::kill(second, SIGINT);
  ::waitpid(second, &status, 0);
}

// Of two that begin a new file, one has it.
TEST_F(LearnResults, AFileThatAppearsIsNotReplaced) {
  file("pool.csv", wave(400));
  file(".stdin", "");
  const pid_t child = start({"replay", "pool.csv", "-t", "y", "--strategy", "random", "--budget", "30",
                             "--repeats", "10000", "-o", "r.csv"},
                            path(".stdin"), path(".stdout"), path(".stderr"));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  file("r.csv", "somebody else's\n");  // before the first run is kept, after two seconds
  int status = 0;
  ::waitpid(child, &status, 0);
  const std::string said = contents(path(".stderr"));
  EXPECT_TRUE(WEXITSTATUS(status) == 1 || WEXITSTATUS(status) == 2) << said;
  EXPECT_NE(said.find(WEXITSTATUS(status) == 1 ? "r.csv was written by another process" : "r.csv exists"),
            std::string::npos)
      << said;
  EXPECT_EQ(contents(path("r.csv")), "somebody else's\n");
}

// What an interrupted replay says is true.
TEST_F(LearnResults, AnInterruptSaysWhatIsThere) {
  file("pool.csv", wave(400));
  file(".stdin", "");
  const pid_t child = start({"replay", "pool.csv", "-t", "y", "--strategy", "random", "--budget", "30",
                             "--repeats", "10000", "-o", "r.csv"},
                            path(".stdin"), path(".stdout"), path(".stderr"));
  for (int i = 0; i < 600 && !fs::exists(path("r.csv")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_TRUE(fs::exists(path("r.csv")));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const std::string said = contents(path(".stderr"));
  EXPECT_NE(said.find("in r.csv (of 10000): --resume goes on with them"), std::string::npos) << said;
  EXPECT_EQ(said.find("nothing was written"), std::string::npos) << said;
}

}  // namespace
}  // namespace covary::cli::learn_results_test
