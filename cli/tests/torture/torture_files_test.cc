// Files and processes: interrupts, full disks, kill -9 and damaged models.
#include <sys/resource.h>

#include <chrono>
#include <random>
#include <thread>

#include "covary/model/model_file.h"
#include "torture/torture.h"

namespace covary::cli::torture_files_test {
namespace {

using std::chrono::milliseconds;

#ifdef __SANITIZE_THREAD__
constexpr milliseconds at_once(10000);  // the thread sanitizer holds signals back until a thread next waits
#else
constexpr milliseconds at_once(500);
#endif

class Interrupted : public Torture {
 protected:
  /// Sends SIGINT after a while; the command must be gone within half a second, with exit code 130.
  void interrupt(const Strings& arguments, milliseconds after) {
    file(".stdin", "");
    const pid_t child = start(arguments, path(".stdin"), path(".stdout"), path(".stderr"));
    std::this_thread::sleep_for(after);
    const auto before = std::chrono::steady_clock::now();
    ::kill(child, SIGINT);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_LT(std::chrono::steady_clock::now() - before, at_once);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
  }
};

TEST_F(Interrupted, Case29WhileLearning) {
  file("m.json", "old");
  interrupt({"fit", file("d.csv", wave(1500)), "--target", "y", "--starts", "1000", "-o", "m.json"},
            milliseconds(700));
  EXPECT_EQ(contents(path("m.json")), "old");
  EXPECT_EQ(files(), Strings({"d.csv", "m.json"}));
}

TEST_F(Interrupted, Case29WhilePredicting) {
  ASSERT_EQ(fit(wave(1200), {"--kernel", "fixed(se(lengthscale=1))", "--noise", "0.1"}).code, 0);
  std::string points = "x\n";
  for (int i = 0; i < 2000000; ++i) points += std::to_string(i) + "\n";
  interrupt({"predict", "m.json", file("p.csv", points), "-o", "o.csv"}, milliseconds(700));
  EXPECT_EQ(files(), Strings({"d.csv", "m.json", "p.csv"}));
}

class Saving : public Torture {
 protected:
  /// Two models, a.json and b.json.
  void two_models() {
    for (const char* name : {"a.json", "b.json"}) {
      const double size = *name == 'a' ? 1 : 2;
      const Outcome o = covary({"fit", file("d.csv", wave(60, size)), "--target", "y", "--kernel",
                                "fixed(se(lengthscale=1))", "--noise", "0.01", "-o", name});
      ASSERT_EQ(o.code, 0) << o.err;
    }
  }

  /// A process that saves a.json and b.json to `target` by turns, and has begun to.
  pid_t start_saving(const std::string& target) const {
    int ready[2] = {};
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(ready[1], 1);
      ::execl(COVARY_SAVER, COVARY_SAVER, target.c_str(), path("a.json").c_str(), path("b.json").c_str(),
              nullptr);
      ::_exit(127);
    }
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1) << "it did not begin";
    ::close(ready[0]);
    return child;
  }
};

TEST_F(Saving, Case30KilledWhileSaving) {
  two_models();
  const std::string a = contents(path("a.json")), b = contents(path("b.json"));
  ASSERT_NE(a, b);
  fs::create_directory(path("here"));
  const std::string target = path("here/m.json");
  std::mt19937 random(30);
  save_model(load_model(path("a.json")), target);
  int olds = 0, news = 0;
  for (int i = 0; i < 200; ++i) {
    const pid_t child = start_saving(target);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
    const std::string text = contents(target);
    ASSERT_TRUE(text == a || text == b) << "round " << i;
    ASSERT_NO_THROW(parse_model(text)) << "round " << i;
    ++(text == a ? olds : news);
  }
  EXPECT_GT(olds, 0);
  EXPECT_GT(news, 0) << "nothing was ever saved";
  save_model(load_model(path("a.json")), target);
  Strings left;
  for (const auto& entry : fs::directory_iterator(path("here"))) left.push_back(entry.path().filename());
  EXPECT_EQ(left, Strings{"m.json"}) << "the next save removes what a killed one left";
}

TEST_F(Saving, Case30FileTooLarge) {
  two_models();
  const std::string a = contents(path("a.json"));
  const Outcome o =
      shell("ulimit -f 2; $covary fit d.csv --target y --kernel 'fixed(se(lengthscale=1))' -o a.json");
  EXPECT_TRUE(fails(o, 1, "a.json: cannot be written: File too large"));
  EXPECT_EQ(contents(path("a.json")), a);
  EXPECT_EQ(files(), Strings({"a.json", "b.json", "d.csv"}));
}

TEST_F(Saving, Case30FullDisk) {
  two_models();
  fs::create_directory(path("disk"));
  const std::string mount = std::string("unshare --mount ") + (::geteuid() == 0 ? "" : "--map-root-user ") +
                            "sh -c 'mount -t tmpfs -o size=16k none disk && ";
  if (shell(mount + "true'").code != 0) GTEST_SKIP() << "no small disk can be made here";
  std::string points = "x\n";
  for (int i = 0; i < 5000; ++i) points += std::to_string(i) + "\n";
  file("p.csv", points);
  const Outcome o = shell("export covary; " + mount +
                          "cp a.json disk/m.json && $covary predict a.json p.csv -o disk/m.json; echo $?; "
                          "cmp a.json disk/m.json && ls -A disk'");
  EXPECT_EQ(o.out, "1\nm.json\n") << o.err;
  EXPECT_NE(o.err.find("disk/m.json: cannot be written: No space left on device"), std::string::npos)
      << o.err;
}

TEST_F(Saving, Case30FullDevice) {
  two_models();
  EXPECT_TRUE(fails(covary({"predict", "a.json", "d.csv", "-o", "/dev/full"}), 1, "No space left"));
  EXPECT_TRUE(fails(shell("$covary predict a.json d.csv >/dev/full"), 1, "cannot be written"));
}

TEST_F(Torture, Case31DamagedModels) {
  model();
  const std::string text = contents(path("m.json"));
  for (size_t n = 0; n < text.size(); n += 1 + text.size() / 12) {
    file("cut.json", text.substr(0, n));
    EXPECT_TRUE(fails(covary({"predict", "cut.json", "d.csv"}), 3, "cut.json: ")) << n;
  }
  for (size_t i = 3; i < text.size(); i += 1 + text.size() / 12) {
    std::string flipped = text;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    file("flipped.json", flipped);
    EXPECT_TRUE(fails(covary({"predict", "flipped.json", "d.csv"}), 3, "flipped.json: ")) << i;
  }
  file("deep.json", std::string(1000000, '['));
  EXPECT_TRUE(fails(covary({"predict", "deep.json", "d.csv"}), 3, "deep.json: "));
  std::string newer = text;
  newer.replace(newer.find("\"version\":") + 10, 1, "9999");
  file("newer.json", newer);
  EXPECT_TRUE(fails(covary({"predict", "newer.json", "d.csv"}), 3, "or newer: its version is"));
}

}  // namespace
}  // namespace covary::cli::torture_files_test
