// How fast are predictions with standard deviations, and what memory do they take? One million at n = 2000,
// against the rate at which this machine multiplies matrices in the same run (n^2 flops a prediction).
//
//   predict [--quick] [--n 2000] [--m 1000000] [--batch 50000]
#include <fmt/core.h>

#include "covary/base/runtime.h"
#include "covary/kernels/stationary.h"
#include "covary/process/process.h"
#include "floor.h"
#include "measure.h"

int main(int argc, char** argv) {
  using covary::Index, covary::Matrix, covary::Vector;
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"n", "m", "batch"});
    const Index n = o.number("n", 2000), d = 8, m = o.number("m", o.has("quick") ? 100'000 : 1'000'000);
    const Index batch = o.number("batch", 50'000);
    fmt::print("{} predictions with sd, n = {}, d = {}, in calls of {}\n{}\n", m, n, d, batch,
               covary::internal::machine().text());
    covary::Random rng(1);
    const Matrix x = rng.normal(n, d);
    const Vector y = x.col(0).array().sin() + 0.1 * rng.normal(n, 1).array();
    const covary::Process<covary::Row> prior(covary::matern32(Vector::LinSpaced(d, 1, 3)),
                                             covary::zero_mean<covary::Row>(), covary::Noise::of(0.01));
    const auto process = prior.condition(x, y);

    const Index side = 2000;
    double gemm_seconds = 0, seconds = 0, gemm_cpu = 0, cpu = 0;
    std::vector<double> ratios;  // call by call: both were measured within seconds of each other
    double growth = 0, sum = 0;
    const Matrix a = rng.normal(side, side), b = rng.normal(side, side);
    Matrix c(side, side);
    Matrix points = rng.normal(batch, d);
    process.predict(points.topRows(std::min<Index>(batch, 512)));  // threads and buffers exist from here on
    bench::multiply(a, b, c);
    const bool peaks = bench::reset_peak();
    const double before = bench::memory_mb("VmRSS");
    for (Index done = 0; done < m; done += batch) {
      const Index now = std::min(batch, m - done);
      points.topRows(now).array() += 1e-3;  // other points each time
      const double begin = bench::processor_seconds();
      const double gemm = std::min(bench::seconds([&] { bench::multiply(a, b, c); }),
                                   bench::seconds([&] { bench::multiply(a, b, c); }));
      const double middle = bench::processor_seconds();
      const double took = bench::seconds([&] {
        const covary::Marginals p = process.predict(points.topRows(now), covary::Of::y);
        sum += p.sd().sum();
      });
      const double limit = double(n) * double(n) * double(now) / (2.0 * double(side * side * side) / gemm);
      ratios.push_back(took / limit);
      gemm_seconds += gemm, seconds += took;
      gemm_cpu += (middle - begin) / 2, cpu += bench::processor_seconds() - middle;
    }
    growth = bench::memory_mb(peaks ? "VmHWM" : "VmRSS") - before;
    const double gemm_rate = 2.0 * double(side * side * side) * double(ratios.size()) / gemm_seconds;
    const double rate = double(n) * double(n) * double(m) / seconds;
    fmt::print("{:>12} {:>14} {:>10} {:>10} {:>12} {:>12} {:>10} {:>10}\n", "seconds", "predictions/s",
               "GF/s", "dgemm GF/s", "whole run", "median call", "by cpu", "memory MB");
    fmt::print("{:>12.2f} {:>14.0f} {:>10.1f} {:>10.1f} {:>11.2f}x {:>11.2f}x {:>9.2f}x {:>10.1f}\n", seconds,
               double(m) / seconds, rate / 1e9, gemm_rate / 1e9, gemm_rate / rate, bench::median(ratios),
               (gemm_rate * gemm_seconds / gemm_cpu) / (rate * seconds / cpu), growth);
    fmt::print("(mean sd {:.6f})\n", sum / double(m));
    bench::verdict(o, fmt::format("{} predictions with sd, n = {}: time over the dgemm limit", m, n),
                   fmt::format("{:.2f}x", bench::median(ratios)), "<= 2x", bench::median(ratios) <= 2);
    bench::verdict(o, fmt::format("{} predictions with sd, n = {}: memory growth", m, n),
                   fmt::format("{:.1f} MB", growth), "< 200 MB", growth < 200);
  });
}
