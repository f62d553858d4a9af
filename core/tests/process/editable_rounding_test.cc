// Rounding of a posterior that is edited in place, and edits that fail: what is lost is mended, and nothing else changes.
#include <gtest/gtest.h>

#include <limits>

#include "process/editable_support.h"

namespace covary::test::editable_test {
namespace {

/// A very smooth kernel on nearly coincident exact points is raised on the diagonal, like a refit, and says
/// so.
TEST(EditableProcess, WhatIsSingularToRoundingIsRaisedAndCounted) {
  Matrix x(4, 1), more(1, 1);
  x << 0, 1, 2, 3;
  more << 1 + 1e-9;
  EditableProcess<Row> g(Process<Row>(parse<Row>("se(2)")));
  g.add(x, Eigen::Vector4d(0, 1, 0, 1));
  g.add(more, Vector::Ones(1));
  EXPECT_EQ(g.edits().rebuilt, 1);
  EXPECT_GT(g.edits().jitter, 0);
  const Process<Row> fresh = Process<Row>(parse<Row>("se(2)")).condition(g.points(), g.targets());
  EXPECT_EQ(g.edits().jitter, fresh.conditioning().jitter);
  EXPECT_TRUE(near(g.process().mean(x), fresh.mean(x), 1e-12));
}

TEST(EditableProcess, AnEditThatLosesTooMuchRebuilds) {
  const Data d = data(30);
  const Process<Row> p = prior();
  EditableProcess<Row> g = grown(d, p);
  for (int again = 0; again < 3; ++again) {
    g.renoise(4, 1e8);
    g.renoise(4, 1e-8);
  }
  EXPECT_EQ(g.edits().rebuilt, 3);
  expect_equal(g, p, d.at, 1e-10);
}

TEST(EditableProcess, DriftRebuilds) {
  const Data d = data(40);
  EditableOptions strict;
  strict.check_every = 1;
  strict.tolerance = 1e-15;
  EditableProcess<Row> g = grown(d, prior(), strict);
  for (Index i = 0; i < 20; ++i) g.renoise(i, 50), g.renoise(i, 0.05);
  EXPECT_GT(g.edits().rebuilt, 0);
  EXPECT_GT(g.edits().worst_residual, 1e-15);
  EditableOptions never;
  never.check_every = 1'000'000;
  EditableProcess<Row> h = grown(d, prior(), never);
  for (Index i = 0; i < 20; ++i) h.renoise(i, 50), h.renoise(i, 0.05);
  EXPECT_EQ(h.edits().rebuilt, 0);
  EXPECT_EQ(h.edits().worst_residual, 0);
  EXPECT_TRUE(near(g.mean(d.at), h.mean(d.at), 1e-9));
}

/// What is carried has the rounding of the largest targets it has seen, unless that is mended.
TEST(EditableProcess, HugeTargetsThatWentLeaveNothingBehind) {
  const Data d = data(20);
  const Process<Row> p = prior();
  EditableProcess<Row> g = grown(d, p);
  for (int again = 0; again < 3; ++again) {
    g.retarget(3, 1e12 / 3);
    g.retarget(3, d.y[3]);
    expect_equal(g, p, d.at);
    g.add(d.at.row(0), Vector::Constant(1, 1e12));
    g.remove(20);
    expect_equal(g, p, d.at);
  }
}

TEST(EditableProcess, AFailedEditChangesNothing) {
  const Data d = data(20);
  EditableProcess<Row> g = grown(d);
  g.pend(d.at.topRows(2));
  const Vector mean = g.mean(d.at), variance = g.variance(d.at);
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto fails = [&](const std::function<void()>& edit, Problem problem, const std::string& words) {
    EXPECT_NE(error_of(edit, problem).find(words), std::string::npos) << error_of(edit, problem);
    EXPECT_TRUE(same_bits(g.mean(d.at), mean));
    EXPECT_TRUE(same_bits(g.variance(d.at), variance));
    EXPECT_EQ(g.size(), 20);
    EXPECT_EQ(g.pending(), 2);
  };
  const Vector one = Vector::Ones(1), two = Vector::Ones(2);
  Matrix bad = d.at.row(0);
  bad(0, 1) = nan;
  fails([&] { g.add(d.at.row(0), two); }, Problem::usage, "1 points were given with 2 observations");
  fails([&] { g.add(d.at.row(0), one, two); }, Problem::usage, "1 points were given with 2 variances");
  fails([&] { g.add(bad, one); }, Problem::data, "x: row 1, column 2: expected a finite number, found nan");
  fails([&] { g.add(d.at.row(0), nan * one); }, Problem::data, "y: row 1: expected a finite number");
  fails([&] { g.add(d.at.row(0), one, -one); }, Problem::data,
        "noise: row 1: expected a finite variance of at least 0, found -1");
  fails([&] { g.add(random_points(1, 1, 3), one); }, Problem::data, "expected points of 2 columns");
  fails([&] { g.pend(bad); }, Problem::data, "x: row 1, column 2");
  fails([&] { g.pend(d.at.row(0), inf * one); }, Problem::data, "found inf");
  fails([&] { g.remove(20); }, Problem::usage,
        "remove: there is no measured point 20: 20 are there, numbered from 0");
  fails([&] { g.remove(-1); }, Problem::usage, "no measured point -1");
  fails([&] { g.retarget(25, 1); }, Problem::usage, "retarget: there is no measured point 25");
  fails([&] { g.retarget(2, nan); }, Problem::data, "retarget: expected a finite number, found nan");
  fails([&] { g.renoise(20, 1); }, Problem::usage, "renoise: there is no measured point 20");
  fails([&] { g.renoise(2, -0.5); }, Problem::data, "at least 0, found -0.5");
  fails([&] { g.tell(2, 1); }, Problem::usage, "tell: there is no pending point 2: 2 are there");
  fails([&] { g.tell(0, inf); }, Problem::data, "tell: expected a finite number");
  fails([&] { g.withdraw(2); }, Problem::usage, "withdraw: there is no pending point 2");
  EXPECT_NE(
      error_of([&] { EditableProcess<Row>(prior()).tell(0, 1); }, Problem::usage).find("there are none"),
      std::string::npos);
}

/// A kernel that is none: nothing can be factored, and what was there stays.
TEST(EditableProcess, AnIndefiniteKernelIsRefusedWithTheStateAsItWas) {
  struct Odd {
    Matrix cross(Rows a, Rows b) const {
      return (a.col(0).replicate(1, b.rows()) - b.col(0).transpose().replicate(a.rows(), 1))
                 .array()
                 .square() +
             1;
    }
    Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
    Vector pullback(Rows, Rows, const Matrix&) const { return Vector(0); }
    Vector theta() const { return Vector(0); }
    Odd with(const Vector&) const { return *this; }
    std::string text() const { return "odd()"; }
  };
  Matrix x(1, 1), more(1, 1);
  x << 0;
  more << 2;
  EditableProcess<Row> g(Process<Row>(Kernel<Row>(Odd{})));
  g.add(x, Vector::Ones(1));
  const Vector before = g.mean(x);
  EXPECT_NE(error_of([&] { g.add(more, Vector::Ones(1)); }, Problem::numerical).find("not positive definite"),
            std::string::npos);
  EXPECT_NE(error_of([&] { g.pend(more); }, Problem::numerical).find("pending"), std::string::npos);
  EXPECT_EQ(g.size(), 1);
  EXPECT_EQ(g.pending(), 0);
  EXPECT_TRUE(same_bits(g.mean(x), before));
}

}  // namespace
}  // namespace covary::test::editable_test
