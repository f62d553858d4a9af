// A Gaussian process on the ranks that mpirun or srun starts: mpirun -n 4 cluster. Every rank runs this program; the
// covariance matrix is in tiles on all of them, and the first one prints.
#include <covary/base/random.h>
#include <covary/cluster.h>
#include <covary/kernels/expression.h>
#include <covary/learn/fit.h>

#include <cmath>
#include <iostream>

namespace {

/// The same rows on every rank: a smooth function of two inputs, observed with noise.
void observe(covary::Matrix& x, covary::Vector& y) {
  covary::Random random(1);
  for (covary::Index i = 0; i < x.rows(); ++i) {
    x(i, 0) = 10 * random.uniform(), x(i, 1) = 10 * random.uniform();
    y[i] = std::sin(x(i, 0)) * std::cos(x(i, 1)) + 0.1 * random.normal();
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace covary;
  Cluster cluster(argc, argv);
  return cluster.run([&] {
    Matrix x(1500, 2), at(1, 2);
    Vector y(1500);
    observe(x, y);
    at << 4.7, 3.1;
    const FitOptions how{.starts = 2, .inference = "exact(device=cluster)"};
    const auto fitted = fit<Row>({.kernel = parse<Row>("matern52()")}, x, y, how);
    const Marginals f = fitted.process.predict(at);  // all ranks have the answer
    if (cluster.first())
      std::cout << fitted.summary.text() << "\nf(4.7, 3.1) = " << f.mean[0] << " +- " << f.sd()[0] << " on "
                << cluster.size() << " ranks\n";
  });
}
