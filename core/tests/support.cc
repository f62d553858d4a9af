#include "support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <numbers>

#include "covary/kernels/columns.h"
#include "covary/kernels/nodes/network.h"

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

/// What points a kernel takes that does not take any numbers: a line for each.
struct Domain {
  std::string_view name;
  double (*draw)(Random& rng, Index column);
};

/// 0, 1, 2 or 3, half of them 0.
double count_draw(Random& rng, Index) { return double(std::max<Index>(0, rng.integer(7) - 3)); }

/// The code of one of five levels or nodes, a degree of latitude or longitude.
double code_draw(Random& rng, Index) { return double(rng.integer(5)); }
double degree_draw(Random& rng, Index) { return 180 * rng.uniform() - 90; }

constexpr Domain domains[] = {
    {"jaccard", count_draw},          {"minmax", count_draw},           {"intersection", count_draw},
    {"category", code_draw},          {"category_pairs", code_draw},    {"ordinal", code_draw},
    {"diffusion", code_draw},         {"graph_matern", code_draw},      {"sphere_se", degree_draw},
    {"sphere_matern12", degree_draw}, {"sphere_matern32", degree_draw}, {"sphere_matern52", degree_draw},
};

const Domain* domain_of(const Entry<Row>& entry) {
  for (const Domain& d : domains)
    if (d.name == entry.name) return &d;
  return nullptr;
}

double between(Random& rng, double low, double high) { return low * std::pow(high / low, rng.uniform()); }

std::string random_value(Random& rng, const std::string& parameter, Index d) {
  if (parameter == "normalized") return rng.uniform() < 0.5 ? "yes" : "no";
  if (parameter == "degree") return std::to_string(1 + rng.integer(3));
  if (parameter == "smoothness") return std::to_string(1 + rng.integer(2));
  if (parameter == "rank") return "2";
  if (parameter == "levels") return "4";  // of five codes one is new
  if (parameter == "loadings") return fmt::format("[{}]", fmt::join(rng.normal(8, 1).reshaped(), ", "));
  const bool correlation = parameter == "correlation", spacing = parameter == "spacing";
  if (parameter != "lengthscale" && !correlation && !spacing) return number_text(between(rng, 0.7, 3));
  const double high = correlation ? 0.9 : 3;
  if (rng.uniform() < 0.5) return number_text(between(rng, high / 6, high));
  std::vector<double> each;
  for (Index k = 0; k < (spacing ? 3 : d); ++k) each.push_back(between(rng, high / 6, high));
  return fmt::format("[{}]", fmt::join(each, ", "));
}

/// Kernels that fix their number of columns have one length-scale; on the sphere it is in km.
std::string random_argument(Random& rng, const Entry<Row>& entry, const std::string& parameter, Index d) {
  if (parameter != "lengthscale" || !entry.columns) return random_value(rng, parameter, d);
  return number_text(entry.columns == 2 ? between(rng, 1000, 6000) : between(rng, 0.5, 3));
}

/// Five nodes: a ring and one beside it.
std::shared_ptr<const Network> small_network() {
  static const auto network =
      read_network({{"a", "b", 1}, {"b", "c", 0.5}, {"c", "d", 2}, {"a", "d", 1.5}, {"d", "e", 0.7}});
  return network;
}

}  // namespace

Kernel<Row> parsed_call(const std::string& text) {
  const Expression e = internal::read_expression(text), call = e.parts.empty() ? e : e.parts[0];
  for (const Entry<Row>& entry : registry<Row>()) {
    if (entry.name != call.name || entry.reads != Reads::nodes) continue;
    const Arguments given = internal::named_arguments(text, call, entry.parameters);
    const Kernel<Row> k = internal::bind_network(entry.make(given), small_network());
    return e.parts.empty() ? k : on(internal::find_columns(text, e, {}), k);
  }
  return parse<Row>(text);
}

Matrix points_for(const Entry<Row>& entry, std::uint64_t seed, Index n, Index d) {
  const Domain* domain = domain_of(entry);
  if (!domain) return random_points(seed, n, d);
  Random rng(seed);
  Matrix x(n, d);
  for (Index k = 0; k < d; ++k)
    for (Index i = 0; i < n; ++i) x(i, k) = domain->draw(rng, k);
  return x;
}

bool takes_any_number(const Entry<Row>& entry) { return domain_of(entry) == nullptr; }

std::string random_call(Random& rng, const Entry<Row>& entry, Index d) {
  const Index seen = entry.columns ? entry.columns : d;
  std::vector<std::string> arguments;
  for (const std::string& p : entry.parameters)
    arguments.push_back(p + "=" + random_argument(rng, entry, p, seen));
  std::string call = fmt::format("{}({})", entry.name, fmt::join(arguments, ", "));
  if (seen == d) return call;
  std::vector<Index> columns;
  for (const Index k : rng.subset(d, seen)) columns.push_back(k + 1);
  return fmt::format("on([{}], {})", fmt::join(columns, ", "), call);
}

std::string random_expression(Random& rng, Index d, int depth) {
  std::vector<Entry<Row>> all = registry<Row>();
  std::erase_if(all, [](const Entry<Row>& e) { return !takes_any_number(e); });
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

void expect_same_posterior(const DensePosterior<Row>& a, const DensePosterior<Row>& b, const Matrix& z,
                           int threads, double divided) {
  EXPECT_NEAR(a.log_evidence(), b.log_evidence(), 1e-10 * std::abs(a.log_evidence()));
  const Marginals f = a.marginals(Rows(z), threads), g = b.marginals(Rows(z), threads);
  EXPECT_TRUE(near(f.mean, g.mean, 1e-10));
  EXPECT_TRUE(near(f.variance, g.variance, 1e-10));
  EXPECT_TRUE(near(a.mean(Rows(z), threads), b.mean(Rows(z), threads), 1e-10));
  const Gaussian joint = a.joint(Rows(z), threads), other = b.joint(Rows(z), threads);
  EXPECT_TRUE(near(joint.mean(), other.mean(), 1e-10));
  EXPECT_TRUE(near(joint.covariance(), other.covariance(), 1e-10));
  const LeaveOneOut left = a.leave_one_out(threads), out = b.leave_one_out(threads);
  EXPECT_TRUE(near(left.mean, out.mean, divided));
  EXPECT_TRUE(near(left.variance, out.variance, divided));
  EXPECT_TRUE(near(a.trend().covariance, b.trend().covariance, divided));
  EXPECT_TRUE(near(a.state().factor.lower_copy(), b.state().factor.lower_copy(), 1e-10));
  EXPECT_LT(std::abs(std::log(a.report().conditioning.reciprocal_condition /
                              b.report().conditioning.reciprocal_condition)),
            std::log(3.0));
}

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
