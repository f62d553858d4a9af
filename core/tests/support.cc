#include "support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <numbers>

namespace covary::test {

Objectives objectives(std::function<Evaluation(const Vector&)> f) {
  struct Function final : Objective {
    explicit Function(std::function<Evaluation(const Vector&)> g) : f(std::move(g)) {}
    Evaluation at(const Vector& theta, bool, int) override { return f(theta); }
    std::function<Evaluation(const Vector&)> f;
  };
  return [f = std::move(f)] { return std::make_unique<Function>(f); };
}

Matrix random_points(std::uint64_t seed, Index n, Index d) { return Random(seed).normal(n, d); }

Vector random_targets(std::uint64_t seed, const Matrix& x, double noise) {
  Random rng(seed);
  Vector y(x.rows());
  for (Index i = 0; i < x.rows(); ++i)
    y[i] = std::sin(2 * x(i, 0)) + 0.5 * x.row(i).sum() + noise * rng.normal();
  return y;
}

Matrix with_repeats(const Matrix& x, Index repeats) { return join(x, x.topRows(repeats)); }

namespace {

double between(Random& rng, double low, double high) { return low * std::pow(high / low, rng.uniform()); }

std::string random_value(Random& rng, const std::string& parameter, Index d) {
  if (parameter == "degree") return std::to_string(1 + rng.integer(3));
  if (parameter != "lengthscale") return number_text(between(rng, 0.7, 3));
  if (rng.uniform() < 0.5) return number_text(between(rng, 0.5, 3));
  std::vector<double> each;
  for (Index k = 0; k < d; ++k) each.push_back(between(rng, 0.5, 3));
  return fmt::format("[{}]", fmt::join(each, ", "));
}

}  // namespace

std::string random_call(Random& rng, const Entry<Row>& entry, Index d) {
  const Index seen = entry.columns ? entry.columns : d;
  std::vector<std::string> arguments;
  for (const std::string& p : entry.parameters) arguments.push_back(p + "=" + random_value(rng, p, seen));
  std::string call = fmt::format("{}({})", entry.name, fmt::join(arguments, ", "));
  if (seen == d) return call;
  std::vector<Index> columns;
  for (const Index k : rng.subset(d, seen)) columns.push_back(k + 1);
  return fmt::format("on([{}], {})", fmt::join(columns, ", "), call);
}

std::string random_expression(Random& rng, Index d, int depth) {
  const auto& all = registry<Row>();
  if (depth == 0) return random_call(rng, all[static_cast<size_t>(rng.integer(std::ssize(all)))], d);
  const auto part = [&] { return random_expression(rng, d, depth - 1); };
  switch (rng.integer(7)) {
    case 0:
    case 1:
      return fmt::format("{} + {}", part(), part());
    case 2:
    case 3:
      return fmt::format("({}) * ({})", part(), part());
    case 4:
      return fmt::format("{} * ({})", number_text(between(rng, 0.3, 3)), part());
    case 5:
      return fmt::format("on({}, {})", 1 + rng.integer(d), random_expression(rng, 1, depth - 1));
    default:
      return fmt::format("{} + fixed({})", part(), part());
  }
}

Kernel<Row> random_kernel(std::uint64_t seed, Index d) {
  Random rng(seed);
  while (true) {
    const Kernel<Row> k = parse<Row>(random_expression(rng, d, 2));
    if (k.theta().size() > 0) return k;
  }
}

::testing::AssertionResult same_bits(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols())
    return ::testing::AssertionFailure()
           << a.rows() << " x " << a.cols() << " against " << b.rows() << " x " << b.cols();
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < a.rows(); ++i)
      if (std::memcmp(&a(i, j), &b(i, j), sizeof(double)) != 0)
        return ::testing::AssertionFailure() << fmt::format("({}, {}): {} against {}, by {:.2g}", i, j,
                                                            a(i, j), b(i, j), a(i, j) - b(i, j));
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult near(const Matrix& a, const Matrix& b, double tolerance) {
  if (a.rows() != b.rows() || a.cols() != b.cols())
    return ::testing::AssertionFailure()
           << a.rows() << " x " << a.cols() << " against " << b.rows() << " x " << b.cols();
  if (a.size() == 0) return ::testing::AssertionSuccess();
  const double size = std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
  Index i = 0, j = 0;
  const double most = (a - b).cwiseAbs().maxCoeff(&i, &j);
  if (a.allFinite() && b.allFinite() && most <= tolerance * size) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << fmt::format("({}, {}): {} against {}, {:.2g} of the largest", i, j,
                                                      a(i, j), b(i, j), most / size);
}

Matrix inverse_of(const Matrix& a) { return a.inverse(); }
double determinant_of(const Matrix& a) { return a.determinant(); }
Matrix solved(const Matrix& a, const Matrix& b) { return a.ldlt().solve(b); }
Matrix qr_solved(const Matrix& a, const Matrix& b) { return a.colPivHouseholderQr().solve(b); }
Vector eigenvalues_of(const Matrix& a) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(a, Eigen::EigenvaluesOnly).eigenvalues();
}
Matrix lower_root_of(const Matrix& a) { return a.llt().matrixL(); }

Matrix covariance(const Kernel<Row>& k, const Matrix& x, const Vector& noise) {
  Matrix c = k.cross(x, x);
  c.diagonal() += noise;
  return c;
}

double log_density(const Vector& y, const Matrix& c) {
  const Eigen::LLT<Matrix> llt(c);
  const Vector half = llt.matrixL().solve(y);
  return -0.5 * half.squaredNorm() - Matrix(llt.matrixL()).diagonal().array().log().sum() -
         0.5 * double(y.size()) * std::log(2 * std::numbers::pi);
}

double log_density(double y, double mean, double variance) {
  return -0.5 * (std::log(2 * std::numbers::pi * variance) + (y - mean) * (y - mean) / variance);
}

std::string error_of(const std::function<void()>& f, Problem problem) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(static_cast<int>(e.problem()), static_cast<int>(problem)) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
}

bool mentions(const std::vector<std::string>& notes, const std::string& words) {
  for (const std::string& n : notes)
    if (n.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace covary::test
