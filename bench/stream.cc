// A million points, a thousand labels, five hundred kept: how long does a stream take, does it ask for as
// many labels as it should, and how much memory does it need? Against the triangular solves of the scores
// alone.
//
//   stream [--quick]
#include <fmt/core.h>

#include "covary/base/runtime.h"
#include "covary/kernels/stationary.h"
#include "covary/select/stream_machine.h"
#include "floor.h"

extern "C" void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*,
                       const double*, const double*, const int*, double*, const int*, size_t, size_t, size_t,
                       size_t);

namespace {

using covary::Index, covary::Matrix, covary::Row, covary::Vector;

constexpr Index inputs = 4, memory = 500, chunk = 20000;

/// Points in a cube, the same for the same seed.
Matrix points(covary::Random& rng, Index n) {
  return Matrix::NullaryExpr(n, inputs, [&] { return rng.uniform(); });
}

double truth(const Eigen::Ref<const Eigen::RowVectorXd>& x) {
  return std::sin(6 * x[0]) * std::cos(4 * x[1]) + x[2] * x[3];
}

/// GF/s of dtrsm on all threads, for a triangle of n and blocks of 4096 columns: n^2 flops a column.
double solving_speed(Index n) {
  const Matrix l = Matrix::Identity(n, n) * 2.0;
  Matrix b = Matrix::Ones(n, 4096);
  const bench::AllThreads threads;
  const int rows = static_cast<int>(n), columns = 4096;
  const double one = 1;
  std::vector<double> took;
  for (int r = 0; r < 5; ++r)
    took.push_back(bench::seconds([&] {
      dtrsm_("L", "L", "N", "N", &rows, &columns, &one, l.data(), &rows, b.data(), &rows, 1, 1, 1, 1);
    }));
  return double(n * n) * columns / bench::median(took) / 1e9;
}

struct Run {
  double seconds = 0, processor = 0;  // of all threads
  double grown = 0;                   // MB
  double flops = 0;                   // of the scores that were needed: n^2 a point
  covary::StreamSummary summary;
};

/// The whole stream, chunk by chunk; only its own time counts.
template <class S>
Run streamed(S& s, Index length,
             const std::function<double(const Eigen::Ref<const Eigen::RowVectorXd>&)>& label) {
  covary::Random rng(71);
  Run out;
  Matrix x = points(rng, chunk);
  bench::reset_peak();
  const double before = bench::memory_mb("VmRSS");
  for (Index done = 0; done < length; done += chunk) {
    const double used = bench::processor_seconds();
    out.seconds += bench::seconds([&] {
      s.offer_many(
          x, [&](Index i) { return label(x.row(i)); },
          [&](Index, const covary::Offer&) {
            const auto n = double(std::min(s.threshold().asked(), memory));
            out.flops += n * n;
          });
    });
    out.processor += bench::processor_seconds() - used;
    x = points(rng, chunk);
  }
  out.grown = bench::memory_mb("VmHWM") - before;
  out.summary = s.summary();
  return out;
}

void tell(const bench::Options& o, const std::string& what, const Run& r, Index budget) {
  const covary::StreamSummary& s = r.summary;
  fmt::print(
      "{}\n{:.2f} s ({:.2f} of processors), {:.2f} us a point, {:.2f} scores a point, {:.0f} MB more at the "
      "peak\n",
      s.text(), r.seconds, r.processor, 1e6 * r.seconds / double(s.seen), double(s.scored) / double(s.seen),
      r.grown);
  const double off = 100 * std::abs(double(s.asked - budget)) / double(budget);
  bench::verdict(o, fmt::format("{}: {} labels asked for among {} points: off by", what, s.asked, s.seen),
                 fmt::format("{:.1f} %", off), "<= 5 %", off <= 5);
  bench::verdict(o, fmt::format("{}: memory, {} points kept", what, s.kept),
                 fmt::format("{:.0f} MB", r.grown), "<= 64 MB", r.grown <= 64);
}

void streams(const bench::Options& o) {
  const Index length = o.has("quick") ? 100000 : 1000000, budget = 1000;
  const covary::StreamOptions options{.budget = budget, .length = length, .memory = memory};
  covary::Stream<Row> process(
      covary::Process<Row>(covary::matern52(0.5), covary::constant_mean<Row>(), covary::Noise::of(0.01)),
      options);
  const Run gp = streamed(process, length, truth);
  tell(o, "Gaussian process", gp, budget);
  const double speed = solving_speed(memory), floor = gp.flops / speed / 1e9;
  fmt::print(
      "scores needed {:.3g} flops: {:.2f} s at dtrsm's {:.0f} GF/s; the stream took {:.1f} times that\n\n",
      gp.flops, floor, speed, gp.seconds / floor);

  covary::StreamMachine<Row> machine(covary::se(0.5), 2, {.penalty = 10}, options);
  const Run svm = streamed(machine, length, [](const auto& x) { return double(truth(x) > 0.5); });
  tell(o, "support vector machine", svm, budget);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv);
    fmt::print("Streams\n{}\n", covary::internal::machine().text());
    streams(o);
  });
}
