// Eight observations, a kernel whose parameters are learned, and an answer with its uncertainty.
#include <covary/kernels/expression.h>
#include <covary/learn/fit.h>

#include <iostream>

int main() {
  using namespace covary;
  Matrix x(8, 1), at(1, 1);
  Vector y(8);
  x << -1.5, -0.25, 0, 1, 5, 5.5, 10.5, 11.5;
  y << -1.6, 0.5, 0.8, -2, 0, 1, 3, 3;
  at << 8;
  const auto fitted = fit<Row>({.kernel = parse<Row>("matern52()")}, x, y);
  const Marginals f = fitted.process.predict(at);
  std::cout << fitted.summary.text() << "\nf(8) = " << f.mean[0] << " +- " << f.sd()[0] << "\n";
}
