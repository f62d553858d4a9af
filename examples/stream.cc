// A line learned from a stream: rows arrive one at a time, each costs O(N^2), and the answer is that of all
// at once. Old rows may be forgotten, for a world that drifts.
#include <covary/linear/weights.h>

#include <cmath>
#include <iostream>

int main() {
  using namespace covary;
  // y = w0 + w1 x + noise; the slope changes half way.
  const auto row = [](double x) { return Matrix((Matrix(1, 2) << 1, x).finished()); };
  const auto seen = [](int i, double x) {
    return 1 + (i < 100 ? 2.0 : 3.0) * x + 0.1 * std::sin(37.0 * i * i);
  };

  Weights all(WeightPrior::isotropic(2, 100.0)), recent = all;  // prior variances in units of the noise
  for (int i = 0; i < 200; ++i) {
    const double x = 0.05 * (i % 40);
    const Vector y = Vector::Constant(1, seen(i, x));
    all = all.condition(row(x), y);
    recent = recent.condition(row(x), y, {.forget = 0.95});
    if ((i + 1) % 50 == 0)
      std::cout << i + 1 << " rows: slope " << all.mean()[1] << " +- " << all.sd()[1] << ", of late "
                << recent.mean()[1] << " +- " << recent.sd()[1] << "\n";
  }
  const Matrix interval = recent.intervals(95);  // Student's: the noise is estimated from the same rows
  std::cout << "95 % of the slope of late: " << interval(1, 0) << " to " << interval(1, 1) << "\n";
  return interval(1, 0) < 3 && 3 < interval(1, 1) ? 0 : 1;
}
