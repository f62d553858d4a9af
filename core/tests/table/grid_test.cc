// Grids as typed.
#include "covary/table/grid.h"

#include <gtest/gtest.h>

#include "covary/base/error.h"

namespace covary::test::grid_test {
namespace {

const std::vector<std::string> xz{"x", "z"};
const Matrix data = (Matrix(3, 2) << 0, 5, 2, 7, 1, 6).finished();

std::string refused(const std::string& text, Problem problem, const std::vector<std::string>& columns = xz) {
  try {
    (void)parse_grid(text, columns, columns.empty() ? Matrix(0, 0) : data);
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), problem) << e.what();
    return e.what();
  }
  return "accepted";
}

TEST(Grid, OverTheRangesOfTheData) {
  const Matrix g = grid_points(parse_grid("3", xz, data));
  ASSERT_EQ(g.rows(), 9);
  EXPECT_EQ(g.col(0), (Vector(9) << 0, 0, 0, 1, 1, 1, 2, 2, 2).finished());
  EXPECT_EQ(g.col(1), (Vector(9) << 5, 6, 7, 5, 6, 7, 5, 6, 7).finished());
}

TEST(Grid, ByName) {
  const auto axes = parse_grid("x=-1..1:5, z=5", xz, data);
  EXPECT_EQ(grid_points(axes).col(0), Vector::LinSpaced(5, -1, 1));
  EXPECT_EQ(grid_points(axes).col(1), Vector::Constant(5, 5));
  EXPECT_EQ(parse_grid("4, z=:2", xz, data)[0].count, 4);
  EXPECT_EQ(parse_grid("4, z=:2", xz, data)[1].count, 2);
  EXPECT_EQ(parse_grid("x=1e-3..2.5", xz, data)[0].count, internal::grid_default);
  EXPECT_EQ(parse_grid("x = -3 .. -1 : 2", xz, data)[0].low, -3);
  EXPECT_EQ(parse_grid("\"a, b\"=1..2:3", {"a, b"}, Matrix::Zero(2, 1))[0].count, 3);
  EXPECT_EQ(parse_grid("7", {"x"}, Matrix::Ones(2, 1))[0].count, 1) << "a column that does not vary is held";
}

TEST(Grid, WithoutData) {
  const auto axes = parse_grid("b=0..1:3, a=2", {});
  ASSERT_EQ(axes.size(), 2U);
  EXPECT_EQ(axes[0].name, "b");
  EXPECT_NE(refused("b=:3", Problem::usage, {}).find("b=LOW..HIGH:COUNT"), std::string::npos);
  EXPECT_NE(refused("50", Problem::usage, {}).find("no column is named"), std::string::npos);
}

TEST(Grid, Refusals) {
  EXPECT_NE(refused("0", Problem::usage).find("1 or more"), std::string::npos);
  EXPECT_NE(refused("2.5", Problem::usage).find("whole number"), std::string::npos);
  EXPECT_NE(refused("", Problem::usage).find("NAME=LOW..HIGH:COUNT"), std::string::npos);
  EXPECT_NE(refused("x=3..1:5", Problem::usage).find("LOW below HIGH"), std::string::npos);
  EXPECT_NE(refused("x=nan", Problem::usage).find("found 'x=nan'"), std::string::npos);
  EXPECT_NE(refused("x=inf..3", Problem::usage).find("expected"), std::string::npos);
  EXPECT_NE(refused("x=", Problem::usage).find("after '='"), std::string::npos);
  EXPECT_NE(refused("=3", Problem::usage).find("a column before '='"), std::string::npos);
  EXPECT_NE(refused("x=1:3", Problem::usage).find("LOW..HIGH before ':'"), std::string::npos);
  EXPECT_NE(refused("x=1, x=2", Problem::usage).find("given twice"), std::string::npos);
  EXPECT_NE(refused("xx=1", Problem::usage).find("did you mean 'x'?"), std::string::npos);
  EXPECT_NE(refused("\"x=1", Problem::usage).find("quote"), std::string::npos);
  const std::string large = refused("1001", Problem::limit);
  EXPECT_NE(large.find("1.002e+06 points over 2 columns, at most 1000000"), std::string::npos) << large;
  EXPECT_NE(refused("1e300", Problem::limit).find("points"), std::string::npos);
  EXPECT_EQ(parse_grid("1000", xz, data).size(), 2U);
}

}  // namespace
}  // namespace covary::test::grid_test
