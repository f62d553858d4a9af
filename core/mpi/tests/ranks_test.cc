// How ranks meet, deal out work, share files and end.
#include "covary/base/ranks.h"

#include <gtest/gtest.h>

#include <fstream>

#include "world.h"

namespace covary::test::ranks_test {
namespace {

using namespace internal;

World& world() { return dynamic_cast<World&>(*ranks()); }
bool last() { return world().rank() == world().count() - 1; }
std::string of_size(size_t n, int rank) { return std::string(n, char('a' + rank)); }

TEST(Ranks, GatherWhatEachHasInTheirOrder) {
  for (const size_t n : {0, 1, 1000, 100000}) {
    const auto all =
        world().gathered("test", of_size(n + static_cast<size_t>(world().rank()), world().rank()));
    ASSERT_EQ(std::ssize(all), world().count());
    for (int r = 0; r < world().count(); ++r)
      EXPECT_EQ(all[static_cast<size_t>(r)], of_size(n + static_cast<size_t>(r), r));
  }
  EXPECT_EQ(world().from_first("test", of_size(9, world().rank())), of_size(9, 0));
}

TEST(Ranks, AgreeOnTheTime) {
  world().meet("test");
  const Vector mine = Vector::Constant(1, agreed_seconds());
  EXPECT_EQ(numbers_of(world().from_first("test", bytes_of(mine))), mine);
}

TEST(Ranks, DealOutTasks) {
  for (const Index tasks : {0, 1, 2, 3, 5, 9}) {
    if (tasks == 0) continue;
    int own = 0;
    const auto all = dealt("test", tasks, [&](Index i) {
      ++own;
      return std::to_string(i * i);
    });
    for (Index i = 0; i < tasks; ++i) EXPECT_EQ(all[static_cast<size_t>(i)], std::to_string(i * i));
    EXPECT_LE(own, (tasks + world().count() - 1) / std::min<Index>(tasks, world().count()));
  }
}

/// One task in a group of several ranks: these meet.
TEST(Ranks, WorkTogetherInAGroup) {
  const auto all =
      dealt("test", 1, [](Index) { return std::to_string(ranks()->gathered("inside", "x").size()); });
  EXPECT_EQ(all[0], std::to_string(world().count()));
}

TEST(Ranks, AllThrowWhatOneTaskThrew) {
  try {
    (void)dealt("test", 5, [](Index i) -> std::string {
      if (i == 3) throw Error(Problem::numerical, "task 3 failed");
      return "";
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), Problem::numerical);
    EXPECT_NE(std::string(e.what()).find("task 3 failed"), std::string::npos) << e.what();
  }
  world().begin_again();
}

TEST(Ranks, LearnWhyOneCannotGoOn) {
  if (world().count() == 1) GTEST_SKIP() << "there is one rank";
  try {
    if (last()) throw Error(Problem::data, "a bad value");
    world().meet("test");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    world().failed(e);
    EXPECT_EQ(e.problem(), Problem::data);
    const std::string expected =
        last() ? "a bad value" : "rank " + std::to_string(world().count() - 1) + ": a bad value";
    EXPECT_EQ(e.what(), expected);
  }
  world().begin_again();
}

TEST(Ranks, SayThatTheyWentDifferentWays) {
  if (world().count() == 1) GTEST_SKIP() << "there is one rank";
  try {
    world().meet(last() ? "here" : "there");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("rank 0 came to \"there\""), std::string::npos) << e.what();
  }
  world().begin_again();
}

TEST(Ranks, ReadTheFileOfTheFirst) {
  const std::string path =
      world().from_first("name", ::testing::TempDir() + "covary-ranks-" + std::to_string(::getpid()));
  if (world().first()) std::ofstream(path) << "some bytes\n";
  const std::string named = world().first() ? path : "/nowhere/else";
  char bytes[32] = {};
  const auto file = open_to_read(named);
  ASSERT_TRUE(file);
  EXPECT_EQ(std::fread(bytes, 1, sizeof bytes, file.get()), 11U);
  EXPECT_STREQ(bytes, "some bytes\n");
  if (world().first()) (void)std::remove(path.c_str());
  EXPECT_FALSE(open_to_read(named));
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace covary::test::ranks_test
