// Columns that do not vary where a model is fitted: no prediction depends on them.
#include "covary/learn/ignored_columns.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/kernels/expression.h"
#include "covary/model/model_file.h"

namespace covary::ignored_test {
namespace {

const std::vector<std::string> columns{"a", "c"};

Matrix rows() {
  Matrix x(15, 2);
  for (Index i = 0; i < x.rows(); ++i) x.row(i) << 0.4 * double(i), 3;
  return x;
}

FittedModel learned(Request request, const std::string& mean = "constant") {
  FitOptions o;
  o.starts = 1;
  request.mean = mean;
  const Matrix x = rows();
  return fit(request, {x, x.col(0).array().sin(), columns}, o);
}

Request kernel(const std::string& text, const std::string& model = "gp") {
  Request a;
  a.kernel = text, a.noise = "learn", a.model = model, a.starts = 1;
  return a;
}

TEST(Ignored, PredictionsDoNotDependOnAConstantColumn) {
  const Matrix at = (Matrix(3, 2) << 1.1, 3, 1.1, 50, 1.1, -4).finished();
  for (const char* model : {"gp", "kernel-ridge", "linear", "ridge", "bayes"})
    for (const char* mean : {"constant", "linear"}) {
      const FittedModel m = learned(kernel("se() + on(c, linear())", model), mean);
      const Prediction p = m.predict(at);
      EXPECT_EQ(p.mean[0], p.mean[1]) << model;
      EXPECT_EQ(p.mean[0], p.mean[2]) << model;
      EXPECT_EQ(p.sd[0], p.sd[1]) << model;
      EXPECT_EQ(m->ignored, std::vector<std::string>{"c"}) << model;
      EXPECT_EQ(m->used_features(), std::vector<std::string>{"a"});
      const FittedModel back = parse_model(model_text(m));
      EXPECT_EQ(back->ignored, m->ignored);
      const Prediction again = back.predict(at);
      EXPECT_NEAR(again.mean[0], p.mean[0], 1e-9) << model;
      EXPECT_EQ(again.mean[0], again.mean[1]) << model;
      EXPECT_EQ(again.sd[0], again.sd[2]) << model;
    }
}

TEST(Ignored, FixedParametersAndColumnsWithoutOthersAreKept) {
  const Matrix x = rows();
  EXPECT_EQ(internal::ignored_columns(kernel("se()"), columns, x).size(), 1U);
  EXPECT_TRUE(internal::ignored_columns(kernel("fixed(se(lengthscale=1))"), columns, x).empty());
  EXPECT_TRUE(
      internal::ignored_columns(kernel("se() * on(c, fixed(se(lengthscale=1)))"), columns, x).empty());
  EXPECT_TRUE(internal::ignored_columns(kernel("se()"), {"c"}, x.rightCols(1)).empty())
      << "nothing would be left";
  EXPECT_TRUE(internal::ignored_columns(kernel("se()"), columns, x.topRows(1)).empty());
}

TEST(Ignored, RowsThatVaryLaterStayIgnored) {
  ModelRecord m = learned(kernel("se()")).record();
  m.x = join(m.x, (Matrix(1, 2) << 7, 99).finished());
  m.y = internal::concat(m.y, Vector::Constant(1, 0.6));
  const Prediction p = FittedModel(m).predict((Matrix(2, 2) << 7, 3, 7, 99).finished());
  EXPECT_EQ(p.mean[0], p.mean[1]);
  EXPECT_NEAR(p.mean[0], 0.6, 0.1);
}

TEST(Ignored, NamesOfRowsAreKeptInTheFile) {
  ModelRecord m = learned(kernel("se()")).record();
  EXPECT_EQ(m.row_name(4), "row 5");
  for (Index i = 0; i < 15; ++i) m.rows.push_back("line " + std::to_string(2 * i + 2));
  EXPECT_EQ(parse_model(model_text(FittedModel(m)))->row_name(4), "line 10");
}

TEST(Ignored, ColumnsThatFeaturesLookAt) {
  EXPECT_EQ(internal::columns_used("c^2, splines(c)", columns), std::vector<Index>{1});
  EXPECT_EQ(internal::columns_used("a*c", columns), (std::vector<Index>{0, 1}));
  EXPECT_EQ(internal::columns_used("bumps(centers=3)", columns), (std::vector<Index>{0, 1}));
}

}  // namespace
}  // namespace covary::ignored_test
