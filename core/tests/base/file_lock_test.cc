// A lock that is there for one process at a time, and leaves nothing behind.
#include "covary/base/file_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "covary/base/output_file.h"

namespace covary::file_lock_test {
namespace {

namespace fs = std::filesystem;

class FileLocks : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("covary-lock-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    put("0");
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path() const { return folder_ / "m"; }
  void put(const std::string& text) const {
    internal::OutputFile file(path());
    file.write(text);
    file.commit();
  }
  int get() const {
    int value = -1;
    std::ifstream(path()) >> value;
    return value;
  }
  fs::path folder_;
};

// Read, change, replace, from many threads at a time.
TEST_F(FileLocks, NothingIsLost) {
  std::vector<std::thread> all;
  for (int t = 0; t < 8; ++t)
    all.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        const internal::FileLock lock(path());
        put(std::to_string(get() + 1));
        EXPECT_FALSE(lock.current()) << "the name is that of the new file now";
      }
    });
  for (std::thread& t : all) t.join();
  EXPECT_EQ(get(), 200);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FileLocks, TheDeadHoldNothing) {
  int ready[2] = {};
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const internal::FileLock lock(path());
    (void)!::write(ready[1], "x", 1);
    ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  bool waited = false;
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::kill(child, SIGKILL);
  });
  const internal::FileLock lock(path(), [&] { waited = true; });
  killer.join();
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(waited);
  EXPECT_TRUE(lock.current());
  EXPECT_EQ(lock.missing(), "");
}

// A file that is replaced again and again while it is locked: nobody else has it in between.
TEST_F(FileLocks, TheLockGoesOverToTheNewFile) {
  std::optional<internal::FileLock> lock(path());
  for (int i = 1; i <= 3; ++i) {
    internal::OutputFile file(path());
    file.write(std::to_string(i));
    file.commit(&*lock);
    EXPECT_EQ(get(), i);
    EXPECT_TRUE(lock->current());
  }
  std::atomic<bool> waits = false, has = false;
  std::thread other([&] {
    const internal::FileLock mine(path(), [&] { waits = true; });
    has = true;
  });
  while (!waits) std::this_thread::yield();
  put("4");
  EXPECT_FALSE(has || lock->current());
  lock.reset();
  other.join();
  EXPECT_TRUE(has);
}

TEST_F(FileLocks, AFileThatAppearsIsSeen) {
  fs::remove(path());
  internal::FileLock lock(path());
  EXPECT_TRUE(lock.current());
  put("1");
  EXPECT_FALSE(lock.current());
  internal::OutputFile file(path());
  file.write("2");
  file.commit(&lock);
  EXPECT_TRUE(lock.current());
}

TEST_F(FileLocks, WhatIsNoFileIsNotLocked) {
  const internal::FileLock nothing((folder_ / "none").string()), device("/dev/null"),
      folder(folder_.string());
  EXPECT_TRUE(nothing.current() && device.current() && folder.current());
}

TEST_F(FileLocks, ReadOnlyFilesAreLocked) {
  fs::permissions(path(), fs::perms::owner_read);
  const internal::FileLock lock(path());
  EXPECT_EQ(lock.missing(), "");
}

}  // namespace
}  // namespace covary::file_lock_test
