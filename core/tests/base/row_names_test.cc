// Rows in messages: counted from 1. (That they are named by their index in Python is tested there.)
#include "covary/base/row_names.h"

#include <gtest/gtest.h>

namespace covary::row_words_test {
namespace {

TEST(RowWords, CountFromOne) {
  EXPECT_EQ(internal::row_words(0), "row 1");
  EXPECT_EQ(internal::row_words(41), "row 42");
  EXPECT_EQ(internal::row_number(2), 3);
}

}  // namespace
}  // namespace covary::row_words_test
