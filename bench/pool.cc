// What does a choice cost in a large pool? 100 000 candidates with 8 inputs, 500 labels bought one at a time.
//
// Label n + 1 needs one column of the kernel (m values) and a product of what the labels say so far with a
// vector: 2 m n flops over 8 m n bytes. variance-reduction also takes a rank one off the covariances of r
// representatives with the pool: 4 r m flops, the squares it sums included, over 16 r m bytes. The floor is
// just that, bare, in the same run and by turns with the choices: kernel values, dgemv, dger.
//
//   pool [--quick]
#include <fmt/core.h>

#include "covary/kernels/stationary.h"
#include "covary/select/selector.h"
#include "floor.h"

extern "C" {
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*, size_t);
void dger_(const int*, const int*, const double*, const double*, const int*, const double*, const int*,
           double*, const int*);
}

namespace {

using covary::Index, covary::Matrix, covary::Process, covary::Row, covary::Vector;

/// y <- y - A x for the first n columns.
void bare_product(const Matrix& a, Index n, const Vector& x, Vector& y) {
  const bench::AllThreads threads;
  const int m = static_cast<int>(a.rows()), k = static_cast<int>(n), step = 1;
  const double minus = -1, one = 1;
  if (n) dgemv_("N", &m, &k, &minus, a.data(), &m, x.data(), &step, &one, y.data(), &step, 1);
}

/// A <- A - x y'.
void bare_rank_one(Matrix& a, const Vector& x, const Vector& y) {
  const bench::AllThreads threads;
  const int m = static_cast<int>(a.rows()), n = static_cast<int>(a.cols()), step = 1;
  const double minus = -1;
  dger_(&m, &n, &minus, x.data(), &step, y.data(), &step, a.data(), &m);
}

/// Seconds that the arithmetic of one choice takes by itself.
class Bare {
 public:
  Bare(const Matrix& x, const covary::Kernel<Row>& kernel, Index labels, Index representatives)
      : x_(x),
        kernel_(kernel),
        c_(Matrix::Constant(x.rows(), labels, 1e-3)),
        cov_(Matrix::Constant(representatives, x.rows(), 1e-3)),
        some_(Vector::Constant(representatives, 1e-6)),
        row_(Vector::Constant(labels, 1e-3)) {}
  double seconds(Index n) {
    return bench::seconds([&] {
      Vector column(x_.rows());
      covary::internal::for_runs(x_.rows(), covary::internal::machine().threads, [&](covary::Range r) {
        column.segment(r.first, r.count) = kernel_.cross(covary::slice(x_, r), x_.topRows(1));
      });
      bare_product(c_, n, row_, column);
      if (cov_.rows()) bare_rank_one(cov_, some_, column);
    });
  }

 private:
  const Matrix& x_;
  covary::Kernel<Row> kernel_;
  Matrix c_, cov_;
  Vector some_, row_;
};

void choices(const bench::Options& o, const std::string& strategy, Index representatives) {
  const Index m = o.has("quick") ? 20000 : 100000, d = 8, labels = o.has("quick") ? 100 : 500;
  covary::Random rng(7);
  const Matrix x = rng.normal(m, d);
  const Vector y = x.rowwise().sum().array().sin();
  const Process<Row> prior(covary::matern52(2.0), covary::constant_mean<Row>(), covary::Noise::of(0.01));
  bench::reset_peak();
  std::vector<double> ours;
  double first = 0, peak = 0, floor = 0, bare = 0;
  {
    covary::Selector s(covary::parse_strategy(strategy), covary::pool_of<Row>(prior, x));
    for (Index n = 0; n < labels; ++n) {
      const double took = bench::seconds([&] {
        const Index chosen = s.suggest()[0].candidate;
        s.tell(chosen, y[chosen]);
      });
      if (n == 0)
        first = took;
      else
        ours.push_back(took);
    }
    peak = bench::memory_mb("VmHWM");
  }
  Bare alone(x, prior.kernel(), labels, representatives);
  alone.seconds(1);  // pages
  for (Index n = 1; n < labels; n += 7) floor += alone.seconds(n), bare += 1;
  floor /= bare;
  double mean = 0;
  for (const double t : ours) mean += t / double(ours.size());
  const double flops = 2 * double(m) * double(labels) / 2 + 4 * double(representatives) * double(m);
  fmt::print(
      "{:<20} first {:.2f} s, then {:.1f} ms a choice; bare {:.1f} ms; {:.2g} flops besides {} kernel "
      "values\n",
      strategy, first, 1e3 * mean, 1e3 * floor, flops, m);
  const std::string what = fmt::format("{}: a choice among {}, to its arithmetic", strategy, m);
  bench::verdict(o, what, fmt::format("{:.2f}x", mean / floor), "2x", mean <= 2 * floor);
  bench::verdict(o, fmt::format("{}: memory at its peak", strategy), fmt::format("{:.2f} GB", peak / 1e3),
                 "4 GB", peak < 4000);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv);
    choices(o, "uncertainty", 0);
    choices(o, "variance-reduction", 1000);
  });
}
