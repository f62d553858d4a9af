// Calls to the system that fail, one at a time: the old file or the new one is there whole, the exit status
// says which, nothing is left behind, and nothing crashes.
#include "torture/torture.h"

namespace covary::cli::faults_test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;  // a sanitizer has a malloc of its own
#else
constexpr bool sanitized = false;
#endif

class Faults : public Torture {
 protected:
  void SetUp() override {
    Torture::SetUp();
    if (sanitized) GTEST_SKIP() << "a sanitizer has a malloc of its own";
    file("pool.csv", wave(24));
    model();
    fs::rename(path("m.json"), path("model.json"));
    file("more.csv", "x,y\n9.5,0.1\n9.75,0.2\n");
  }

  /// A command that writes `target`, and what is there before.
  struct Case {
    std::string name;
    Strings arguments;
    std::string target, before;
  };
  std::vector<Case> cases() const {
    const std::string old = contents(path("model.json"));
    return {
        {"fit",
         {"fit", "d.csv", "-t", "y", "-k", "fixed(se(lengthscale=1))", "--noise", "0.02", "-o", "m.json"},
         "m.json",
         old},
        {"tell", {"tell", "m.json", "more.csv"}, "m.json", old},
        {"predict", {"predict", "model.json", "d.csv", "-o", "p.csv"}, "p.csv", "old\n"},
        {"replay",
         {"replay",  "pool.csv",  "-t",         "y",         "--budget",    "4",  "--start",
          "2",       "--repeats", "1",          "--relearn", "0",           "-k", "fixed(se(lengthscale=1))",
          "--noise", "0.1",       "--strategy", "random",    "--overwrite", "-o", "r.csv"},
         "r.csv",
         "old\n"}};
  }

  Outcome faulty(const Case& c, const std::string& fault) {
    for (const char* name : {"m.json", "p.csv", "r.csv"}) fs::remove(path(name));
    file(c.target, c.before);
    Strings arguments = c.arguments;
    arguments.insert(arguments.end(), {"--threads", "1"});
    std::map<std::string, std::string> with{{"LD_PRELOAD", COVARY_FAULTS}, {"OPENBLAS_NUM_THREADS", "1"}};
    with[fault.empty() ? "COVARY_FAULT_COUNTS" : "COVARY_FAULT"] = fault.empty() ? path(".stdcounts") : fault;
    return covary(arguments, "", with);
  }

  /// How often each call is made without a fault, and what the target is then.
  std::map<std::string, long> counts(const Case& c, std::string& after) {
    const Outcome o = faulty(c, "");
    EXPECT_EQ(o.code, 0) << o.err;
    after = contents(path(c.target));
    EXPECT_NE(after, c.before);
    std::map<std::string, long> out;
    std::istringstream in(contents(path(".stdcounts")));
    for (std::string name; in >> name;) in >> out[name];
    return out;
  }

  void inject(const Case& c, const std::string& fault, const std::string& after) {
    const Outcome o = faulty(c, fault);
    const std::string now = contents(path(c.target));
    EXPECT_TRUE(now == c.before || now == after) << c.name << " with " << fault << " left half a file\n"
                                                 << o.err;
    EXPECT_LT(o.code, 128) << c.name << " crashed with " << fault << "\n" << o.err;
    if (o.code == 0) {
      EXPECT_EQ(now, after) << c.name << " with " << fault << " lost its result\n" << o.err;
    }
    if (c.name == "tell" && o.code != 0) {
      EXPECT_EQ(now, c.before) << "with " << fault << " the rows are kept, and the exit status is " << o.code;
    }
    if (o.code != 0) {
      EXPECT_NE(o.err.find("covary: error: "), std::string::npos) << c.name << " " << fault;
    }
    Strings expected{"d.csv", "model.json", "more.csv", "pool.csv", c.target};
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(files(), expected) << c.name << " with " << fault << " left something behind";
  }

  /// Every call of each kind fails if it is made at most `most` times, else so many of them, spread evenly.
  void inject_all(long most, long most_malloc) {
    for (const Case& c : cases()) {
      std::string after;
      for (const auto& [kind, n] : counts(c, after)) {
        const long limit = kind == "malloc" ? most_malloc : most;
        const double step = std::max(1.0, double(n) / double(limit));
        for (double at = 1; at <= double(n); at += step) {
          const std::string fault = kind + ":" + std::to_string(long(at));
          inject(c, fault, after);
          inject(c, fault + "+", after);
          if (HasFatalFailure()) return;
        }
        if (n > 0 && kind != "close" && kind != "open") inject(c, kind + ":" + std::to_string(n), after);
      }
    }
  }
};

TEST_F(Faults, InjectorInjects) {
  const Case c = cases()[0];
  std::string after;
  std::map<std::string, long> n = counts(c, after);
  EXPECT_GT(n["malloc"], 100);
  for (const char* kind : {"write", "fsync", "open", "close", "linkat", "fwrite"})
    EXPECT_GT(n[kind], 0) << kind;
  EXPECT_TRUE(fails(faulty(c, "write:1"), 1, "m.json: cannot be written: No space left on device"));
  EXPECT_TRUE(fails(faulty(c, "fsync:1"), 1, "m.json: cannot be written: Input/output error"));
  EXPECT_TRUE(fails(faulty(c, "malloc:" + std::to_string(n["malloc"] / 2) + "+"), 5, "out of memory"));
}

TEST_F(Faults, NothingIsLost) { inject_all(4, 10); }

TEST_F(Faults, SlowNothingIsLost) { inject_all(60, 600); }

}  // namespace
}  // namespace covary::cli::faults_test
