// Files that appear whole or not at all, also when somebody died while writing one.
#include "covary/base/output_file.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "covary/base/error.h"

namespace covary::output_file_test {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("covary-output-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  void put(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string get(const std::string& name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void save(const std::string& name, const std::string& text) const {
    internal::OutputFile file(path(name));
    file.write(text);
    file.commit();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }
  fs::path folder_;
};

using Names = std::vector<std::string>;

TEST_F(OutputFiles, NewAndReplaced) {
  save("m", "one");
  EXPECT_EQ(get("m"), "one");
  save("m", "two");
  EXPECT_EQ(get("m"), "two");
  EXPECT_EQ(names(), Names{"m"});
}

TEST_F(OutputFiles, ANameThatIsTakenMeanwhileIsReplaced) {
  internal::OutputFile file(path("m"));
  file.write("new");
  put("m", "somebody else's");
  file.commit();
  EXPECT_EQ(get("m"), "new");
  EXPECT_EQ(names(), Names{"m"});
}

TEST_F(OutputFiles, WhatTheDeadLeftIsRemoved) {
  put("m", "old");
  for (const char* name : {"m.covary-0.partial", "m.covary-1.partial", "m.covary-63.partial"})
    put(name, "half");
  put("m.covary-0.partial.kept", "not ours"), put("n.covary-0.partial", "of another target");
  save("m", "new");
  EXPECT_EQ(get("m"), "new");
  EXPECT_EQ(names(), (Names{"m", "m.covary-0.partial.kept", "n.covary-0.partial"}));
}

TEST_F(OutputFiles, WhatTheLivingWriteIsLeftAlone) {
  put("m", "old");
  put("m.covary-0.partial", "being written");
  const int living = ::open(path("m.covary-0.partial").c_str(), O_WRONLY);
  ASSERT_EQ(::flock(living, LOCK_EX), 0);
  save("m", "new");
  EXPECT_EQ(names(), (Names{"m", "m.covary-0.partial"}));
  ::close(living);
  save("m", "newer");
  EXPECT_EQ(names(), Names{"m"});
}

// Killed between the two steps of a replacement: the next save leaves no trace of it.
TEST_F(OutputFiles, KilledWithANameOfItsOwn) {
  put("m", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string name = path("m.covary-0.partial");
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT, 0600);
    ::flock(file, LOCK_EX);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(names().size(), 2U);
  save("m", "new");
  EXPECT_EQ(names(), Names{"m"});
}

// What cannot be written is known before.
TEST_F(OutputFiles, CheckedBeforehand) {
  fs::create_directory(path("folder"));
  put("m", "old");
  const auto said = [&](const std::string& name) -> std::string {
    try {
      internal::OutputFile::check(path(name));
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(said("folder").find("is a directory"), std::string::npos);
  EXPECT_NE(said("none/m").find("there is no folder"), std::string::npos);
  EXPECT_NE(said("folder/").find("is a directory"), std::string::npos);
  EXPECT_NE(said(std::string(300, 'a')).find("too long"), std::string::npos);
  EXPECT_EQ(said("m"), "");
  EXPECT_EQ(said("new"), "");
  EXPECT_EQ(get("m"), "old");
  EXPECT_EQ(names(), (Names{"folder", "m"}));
  internal::OutputFile::check("/dev/null");
}

TEST_F(OutputFiles, LongNamesAreReplaced) {
  const std::string name(255, 'a');
  save(name, "one");
  save(name, "two");
  EXPECT_EQ(get(name), "two");
  EXPECT_EQ(names(), Names{name});
}

// Owner, group and mode stay.
TEST_F(OutputFiles, OwnerAndModeAreKept) {
  put("m", "old");
  ASSERT_EQ(::chmod(path("m").c_str(), 0604), 0);
  const bool given = ::chown(path("m").c_str(), 12345, 23456) == 0;
  struct stat before {};
  struct stat after {};
  ASSERT_EQ(::stat(path("m").c_str(), &before), 0);
  save("m", "new");
  ASSERT_EQ(::stat(path("m").c_str(), &after), 0);
  EXPECT_EQ(get("m"), "new");
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_gid, before.st_gid);
  EXPECT_EQ(given, after.st_uid == 12345);
}

/// As user and group 12345: true if it was saved.
bool saved_by_another(const std::function<void()>& save) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 1;
    if (::setgroups(0, nullptr) == 0 && ::setgid(12345) == 0 && ::setuid(12345) == 0) try {
        save(), status = 0;
      } catch (const Error&) {
        status = 2;
      }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(OutputFiles, OfAnotherUserNotOfAnotherGroupAreRefused) {
  for (const char* name : {"group", "user"}) put(name, "old");
  if (::chown(path("group").c_str(), 12345, 0) != 0) GTEST_SKIP() << "only root can give a file away";
  for (const char* name : {"group", "user"}) ::chmod(path(name).c_str(), 0666);
  ::chmod(folder_.c_str(), 0777);
  EXPECT_TRUE(saved_by_another([&] { save("group", "new"); }));
  EXPECT_EQ(get("group"), "new");
  EXPECT_FALSE(saved_by_another([&] { save("user", "new"); }));
  EXPECT_EQ(get("user"), "old");
}

TEST_F(OutputFiles, FinishedIsNotYetSeen) {
  put("m", "old");
  {
    internal::OutputFile file(path("m"));
    file.write("new");
    file.finish();
    EXPECT_EQ(get("m"), "old");
  }
  EXPECT_EQ(get("m"), "old");
  EXPECT_EQ(names(), Names{"m"});
}

TEST_F(OutputFiles, ManyAtOnce) {
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) save("m", std::string(1000, static_cast<char>('a' + i)));
    });
  for (std::thread& t : writers) t.join();
  const std::string text = get("m");
  EXPECT_EQ(text, std::string(1000, text[0]));
  EXPECT_EQ(names(), Names{"m"});
}

}  // namespace
}  // namespace covary::output_file_test
