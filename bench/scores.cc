// Are predictions on real sets as good as published ones, and do their intervals hold what they should?
// Matern-5/2 ARD, everything else as covary fit has it by default, on the standard splits: RMSE, NLPD, CRPS
// and coverage in standardized units, and the coverage of calibrated intervals.
//
//   scores [--quick] [--data DIR] [--sets a,b,c]
#include <fmt/core.h>

#include "covary/base/runtime.h"
#include "covary/evaluate/conformal.h"
#include "covary/kernels/stationary.h"
#include "covary/learn/fit.h"
#include "covary/predictive/score.h"
#include "covary/predictive/student_t.h"
#include "measure.h"
#include "uci.h"

namespace {

using covary::Index;
using covary::Row;
using covary::Vector;

/// An exact GP with Matern-5/2 ARD by maximum likelihood: mean over the splits.
struct Published {
  const char* set;
  Index splits;
  double rmse, nlpd, crps;
};
constexpr Published published[] = {
    {"servo", 10, .3263, .3423, .1668},   {"machine", 10, .4071, .5336, .2260},
    {"yacht", 10, .0850, -1.1198, .0274}, {"autompg", 10, .3484, .3592, .1815},
    {"housing", 10, .3066, .2110, .1547}, {"stock", 4, .2997, .1981, .1677},
    {"energy", 4, .0331, -1.9786, .0183}, {"concrete", 4, .2559, .0027, .1331}};

/// Sums over test rows or splits.
struct Tally {
  double rmse = 0, nlpd = 0, crps = 0, seconds = 0;
  Index inside[4] = {}, calibrated[4] = {}, n = 0, splits = 0;

  void add(const Tally& t) {
    rmse += t.rmse, nlpd += t.nlpd, crps += t.crps, seconds += t.seconds, n += t.n, splits += t.splits;
    for (int k = 0; k < 4; ++k) inside[k] += t.inside[k], calibrated[k] += t.calibrated[k];
  }
  double share(const Index (&count)[4], int k) const { return 100.0 * double(count[k]) / double(n); }
};

Tally one_split(const bench::Split& s) {
  Tally t;
  const covary::Model<Row> model{covary::matern52()};
  t.seconds = bench::seconds([&] {
    const covary::FitResult<Row> f = covary::fit<Row>(model, s.train.x, s.train.y);
    const covary::Prediction p = f.process.noise().predictive(f.process.predict(s.test.x));
    const covary::Scores scores = covary::score(p, s.test.y);
    const covary::LeaveOneOut loo = f.process.leave_one_out();
    const covary::Calibration calibration(covary::StudentT{loo.mean, loo.variance.cwiseSqrt()}, s.train.y);
    const Vector z = p.standardized(s.test.y).cwiseAbs();
    t.rmse = scores.rmse, t.nlpd = scores.nlpd, t.crps = scores.crps;
    for (int k = 0; k < 4; ++k) {
      const covary::Coverage& c = scores.coverage[static_cast<size_t>(k)];
      t.inside[k] = c.inside;
      t.calibrated[k] = (z.array() <= calibration.factor(c.percent)).count();
    }
  });
  t.n = s.test.y.size(), t.splits = 1;
  return t;
}

void show(const std::string& name, const Tally& t) {
  const double s = double(t.splits);
  fmt::print(
      "{:<9} {:>6} {:>8.4f} {:>8.4f} {:>8.4f}  {:>5.1f} {:>5.1f} {:>5.1f} {:>5.1f}   {:>5.1f} {:>5.1f} "
      "{:>5.1f} {:>5.1f} {:>7.1f}\n",
      name, t.splits, t.rmse / s, t.nlpd / s, t.crps / s, t.share(t.inside, 0), t.share(t.inside, 1),
      t.share(t.inside, 2), t.share(t.inside, 3), t.share(t.calibrated, 0), t.share(t.calibrated, 1),
      t.share(t.calibrated, 2), t.share(t.calibrated, 3), t.seconds);
}

void compare(const bench::Options& o, const Published& p, const Tally& t) {
  const double s = double(t.splits);
  const auto say = [&](const char* what, double ours, double theirs, double bar) {
    bench::verdict(o, fmt::format("{}: {} (published {:.4f})", p.set, what, theirs),
                   fmt::format("{:.4f}", ours), fmt::format("<= {:.4f}", bar), ours <= bar);
  };
  say("RMSE", t.rmse / s, p.rmse, 1.02 * p.rmse);
  say("NLPD", t.nlpd / s, p.nlpd, p.nlpd + 0.02);
  say("CRPS", t.crps / s, p.crps, 1.02 * p.crps);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"sets"});
    fmt::print("Matern-5/2 ARD learned with the defaults, test rows of the standard splits\n{}\n",
               covary::internal::machine().text());
    fmt::print("{:<9} {:>6} {:>8} {:>8} {:>8}  {:>23}   {:>23} {:>7}\n", "set", "splits", "RMSE", "NLPD",
               "CRPS", "covered by 50/90/95/99 %", "the same, calibrated", "s");
    const std::string sets = "," + o.get("sets", o.has("quick") ? "servo,yacht" : "") + ",";
    Tally all;
    for (const Published& p : published) {
      if (sets != ",," && sets.find(fmt::format(",{},", p.set)) == sets.npos) continue;
      if (!bench::have_set(o, p.set)) {
        bench::left_out(o, fmt::format("scores on {}", p.set), "no data");
        continue;
      }
      Tally t;
      for (Index k = 0; k < p.splits; ++k) t.add(one_split(bench::split(o, p.set, k)));
      show(p.set, t);
      compare(o, p, t);
      all.add(t);
    }
    if (all.n == 0) return;
    bench::verdict(o, "99 % intervals, calibrated, pooled: percent covered",
                   fmt::format("{:.2f}", all.share(all.calibrated, 3)), ">= 98.5",
                   all.share(all.calibrated, 3) >= 98.5);
    fmt::print("99 % intervals as they are, pooled over {} test rows: {:.2f} % covered\n", all.n,
               all.share(all.inside, 3));
  });
}
