// What a stranger's project does with Covary: includes headers, links covary::core, asks a question.
#include <covary/kernels/expression.h>
#include <covary/process/process.h>
#include <covary/svm/svm.h>

#include <cmath>
#include <cstdio>

int main() {
  using covary::Row;
  covary::Matrix x(8, 1), at(1, 1);
  covary::Vector y(8);
  x << -1.5, -0.25, 0, 1, 5, 5.5, 10.5, 11.5;
  y << -1.6, 0.5, 0.8, -2, 0, 1, 3, 3;
  at << 8;

  const covary::Process<Row> prior(covary::parse<Row>("1.6129 * se(lengthscale=1)"));
  const covary::Process<Row> posterior = prior.condition(x, y);
  const double mean = posterior.mean(at)[0], variance = posterior.variance(at)[0];
  std::printf("f(8) = %.7f, variance %.7f\n", mean, variance);
  const covary::Vector labels = y.unaryExpr([](double v) { return v > 0.2 ? 1.0 : -1.0; });
  const covary::internal::Separator s = covary::internal::separate(prior.kernel().cross(x, x), labels);
  std::printf("%d points hold a margin of %.3f\n", int(s.support.size()), s.margin);
  return std::abs(mean - 0.2401335) < 1e-6 && std::abs(variance - 1.5995653) < 1e-6 && s.gap < 1e-6 ? 0 : 1;
}
