// A trend that is a function of the program: as the same trend in words, and what it may not give.
#include "covary/process/mean_function.h"

#include <gtest/gtest.h>

#include "covary/base/error.h"
#include "covary/kernels/stationary.h"
#include "covary/model/model_file.h"
#include "support.h"

namespace covary::test::mean_function_test {
namespace {

MeanFunction function(std::function<Vector(const Rows&)> f) {
  return std::make_shared<const RowFunction>(RowFunction{"f", std::move(f)});
}

const MeanFunction line = function([](const Rows& x) -> Vector { return 2 + 3 * x.col(0).array(); });

std::string message_of(const MeanFunction& f, const Matrix& x) {
  try {
    (void)mean_of(f).known_at(x);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(MeanFunction, IsTheSameTrendInWords) {
  const Matrix x = random_points(1, 20, 1), at = random_points(2, 5, 1);
  const Vector y = random_targets(3, x);
  const Process<Row> own = Process<Row>(se(1.0), mean_of(line), Noise::of(0.1)).condition(x, y);
  const Process<Row> words =
      Process<Row>(se(1.0), parse_mean("linear(2, 3)"), Noise::of(0.1)).condition(x, y);
  EXPECT_TRUE(near(own.mean(at), words.mean(at), 1e-12));
  EXPECT_TRUE(near(own.variance(at), words.variance(at), 1e-12));
  EXPECT_NEAR(own.log_evidence(), words.log_evidence(), 1e-10);
}

TEST(MeanFunction, TakesThePlaceOfTheText) {
  EXPECT_EQ(mean_of(line, "constant").text, "f");
  EXPECT_EQ(mean_of(nullptr, "constant").text, "constant");
}

TEST(MeanFunction, RefusesWhatIsNotOneFiniteNumberForEachRow) {
  const Matrix x = random_points(1, 4, 1);
  const auto few = function([](const Rows&) -> Vector { return Vector::Ones(3); });
  EXPECT_EQ(message_of(few, x), "mean: the function f gave 3 numbers for 4 rows, expected one for each row");
  const auto none = function([](const Rows& rows) -> Vector {
    Vector v = Vector::Zero(rows.rows());
    v[2] = std::numeric_limits<double>::infinity();
    return v;
  });
  EXPECT_EQ(message_of(none, x), "mean: the function f gave inf for row 3 of 4, expected finite numbers");
  EXPECT_EQ(message_of(line, x), "");
}

TEST(MeanFunction, NoModelFileCanHoldIt) {
  ModelRecord m;
  m.request.mean_function = line;
  try {
    (void)model_text(FittedModel(m));
    FAIL() << "it was written";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()),
              "the mean is 'f', a function of this program: a model file cannot hold it");
  }
}

}  // namespace
}  // namespace covary::test::mean_function_test
