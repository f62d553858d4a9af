// The linear sets of NIST's Statistical Reference Datasets: certified coefficients, their standard deviations
// and that of the residuals. How many digits of the worst one are right.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "covary/linear/weights.h"
#include "support.h"

namespace covary::nist_test {
namespace {

using nlohmann::json;

struct Certified {
  Matrix phi;
  Vector y, coefficients, sd;
  double residual_sd = 0;
};

Matrix powers(const Vector& x, Index degree) {
  Matrix phi(x.size(), degree + 1);
  for (Index i = 0; i < x.size(); ++i)
    for (Index j = 0; j <= degree; ++j) phi(i, j) = std::pow(x[i], double(j));
  return phi;
}

Vector vector(const json& j) {
  const auto v = j.get<std::vector<double>>();
  return Eigen::Map<const Vector>(v.data(), std::ssize(v));
}

/// -log10 of the relative error (of the absolute one where 0 is certified), at most 15.
double digits(double found, double certified) {
  const double off = std::abs(found - certified) / (certified == 0 ? 1 : std::abs(certified));
  return off == 0 ? 15 : std::min(15.0, -std::log10(off));
}

double digits(const Vector& found, const Vector& certified) {
  double worst = 15;
  for (Index i = 0; i < found.size(); ++i) worst = std::min(worst, digits(found[i], certified[i]));
  return worst;
}

void expect_digits(const std::string& name, const Certified& c, double wanted) {
  const Weights w = least_squares(c.phi, c.y);
  const double coefficients = digits(w.mean(), c.coefficients), sd = digits(w.sd(), c.sd),
               residual = digits(std::sqrt(w.noise_variance()), c.residual_sd);
  EXPECT_GE(coefficients, wanted) << name;
  EXPECT_GE(sd, wanted - 1) << name;
  EXPECT_GE(residual, wanted - 1) << name;
  std::printf("%-9s digits: coefficients %.1f, their sd %.1f, residual sd %.1f\n", name.c_str(), coefficients,
              sd, residual);
}

TEST(Nist, CertifiedDigits) {
  std::ifstream file(std::string(COVARY_SHARED_DATA) + "/nist_strd.json");
  if (!file) GTEST_SKIP() << "shared data: nist_strd.json";
  const json all = json::parse(file);
  const std::vector<std::pair<std::string, double>> asked{{"Norris", 12},  {"NoInt1", 14},  {"NoInt2", 14},
                                                          {"Longley", 10}, {"Wampler1", 9}, {"Wampler2", 12},
                                                          {"Wampler3", 9}, {"Filip", 7}};
  for (const auto& [name, wanted] : asked) {
    const json& set = all.at(name);
    Certified c;
    if (set.contains("x")) {
      c.phi = powers(vector(set["x"]), set["polynomial_degree"].get<Index>());
    } else {
      const auto rows = set["design"].get<std::vector<std::vector<double>>>();
      c.phi.resize(std::ssize(rows), std::ssize(rows[0]));
      for (Index i = 0; i < c.phi.rows(); ++i)
        for (Index j = 0; j < c.phi.cols(); ++j) c.phi(i, j) = rows[size_t(i)][size_t(j)];
    }
    c.y = vector(set["y"]);
    c.coefficients = vector(set["certified"]["coefficients"]);
    c.sd = vector(set["certified"]["standard_deviations"]);
    c.residual_sd = set["certified"]["residual_sd"].get<double>();
    expect_digits(name, c, wanted);
  }
}

// Wampler's polynomials of degree 5 at 0, ..., 20: exact, and with the same deviations times 1, 100, 10 000.
// Any coefficients but 1 are errors of arithmetic. These sets need no file: the deviations are known numbers.
TEST(Nist, Wampler) {
  const Vector deviation = (Vector(21) << 759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048,
                            2048, -2048, 1838, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 759)
                               .finished();
  const Vector sd = (Vector(6) << 2152.32624678170, 2363.55173469681, 779.343524331583, 101.475507550350,
                     5.64566512170752, 0.112324854679312)
                        .finished();
  const Matrix phi = powers(Vector::LinSpaced(21, 0, 20), 5);
  for (const double times : {0.0, 1.0, 100.0, 10000.0}) {
    Certified c{phi, phi.rowwise().sum() + times * deviation, Vector::Ones(6), times * sd,
                times * 2360.14502379268};
    expect_digits("Wampler x " + std::to_string(int(times)), c, 9);
  }
}

TEST(Nist, NoIntercept) {
  expect_digits(
      "NoInt1",
      {Vector::LinSpaced(11, 60, 70), Vector::LinSpaced(11, 130, 140), Vector::Constant(1, 2.07438016528926),
       Vector::Constant(1, 0.0165289256198347), 3.56753034006338},
      14);
}

}  // namespace
}  // namespace covary::nist_test
