// How well do chosen sensors tell the rest of real networks? Readings are split in time: covariances are made
// from the first part, sensors chosen with them, and the places without a sensor predicted at the times of
// the second.
//
// Covariances: those of the sample; drawn to their diagonal; of a kernel over the positions; drawn to that
// kernel. How far they are drawn, and which of the four is the best, is decided by leaving out runs of the
// first part: the second is looked at only for the errors in the table (rmse).
//
//   networks [--quick] [--data DIR]
#include <fmt/core.h>

#include <cmath>

#include "covary/kernels/expression.h"
#include "covary/place/evaluate.h"
#include "covary/place/history.h"
#include "covary/place/history_kernel.h"
#include "covary/place/placement.h"
#include "covary/table/table.h"
#include "measure.h"

namespace {

using covary::Index, covary::Matrix, covary::Row, covary::Table, covary::Vector;

struct Network {
  std::string name;
  Matrix x;            // positions, as the kernel sees them
  Index plane = 2;     // so many columns of it are distances on the ground
  Matrix first, then;  // times x places, NaN: missing
  double nugget;       // what a place has for itself
};

std::vector<std::string> beginning(const Table& t, const std::string& with) {
  std::vector<std::string> out;
  for (const covary::Column& c : t.columns)
    if (c.name.rfind(with, 0) == 0) out.push_back(c.name);
  return out;
}

Matrix all_numbers(const Table& t, const std::vector<std::string>& names) {
  Matrix out(t.rows(), std::ssize(names));
  for (size_t j = 0; j < names.size(); ++j) {
    const covary::Column& c = t.column(names[j]);
    out.col(Index(j)) = Eigen::Map<const Vector>(c.values.data(), t.rows());
    for (const Index i : c.missing) out(i, Index(j)) = std::nan("");
  }
  return out;
}

Network intel(const std::string& data) {
  const Table t = covary::read_csv_file(data + "/spatial/intel_lab_temperature_50x240.csv.gz", {});
  return {"Intel lab temperatures, 50 places, 144 half-hours, then 96",
          all_numbers(t, {"x_m", "y_m"}),
          2,
          all_numbers(t, beginning(t, "train_")).transpose(),
          all_numbers(t, beginning(t, "test_")).transpose(),
          0.05};
}

Network north_east(const std::string& data) {
  const Table t = covary::read_csv_file(data + "/spatial/ne_us_monthly_temp.csv.gz", {});
  Matrix x = all_numbers(t, {"UTMX", "UTMY", "elev"});
  x.leftCols(2) /= 1000;  // km
  const Matrix all = all_numbers(t, beginning(t, "y.")).transpose();
  const Index first = all.rows() * 3 / 5;
  return {fmt::format("north-eastern US, monthly temperatures, {} stations, {} months, then {}", all.cols(),
                      first, all.rows() - first),
          x,
          2,
          all.topRows(first),
          all.bottomRows(all.rows() - first),
          0.25};
}

Network particles(const std::string& data) {
  const Table places = covary::read_csv_file(data + "/spatial/de_pm10_2005_stations.csv", {});
  const Table long_form = covary::read_csv_file(data + "/spatial/de_pm10_2005_daily.csv.gz", {});
  const Matrix rows = all_numbers(long_form, {"idx", "day", "pm10"});
  const Vector ids = all_numbers(places, {"idx"}).col(0);
  Matrix all = Matrix::Constant(Index(rows.col(1).maxCoeff()), ids.size(), std::nan(""));
  for (Index r = 0; r < rows.rows(); ++r)
    for (Index i = 0; i < ids.size(); ++i)
      if (ids[i] == rows(r, 0)) all(Index(rows(r, 1)) - 1, i) = rows(r, 2);
  Matrix x = all_numbers(places, {"x_utm", "y_utm", "station_altitude"});
  x.leftCols(2) /= 1000;
  const Index first = all.rows() * 3 / 5;
  std::vector<Index> known;  // stations that were read on half of the first days at least
  for (Index i = 0; i < all.cols(); ++i)
    if (all.col(i).head(first).array().isNaN().count() <= first / 2) known.push_back(i);
  all = Matrix(all(Eigen::all, known));
  return {fmt::format("rural PM10 in Germany, {} stations, {} days, then {}", all.cols(), first,
                      all.rows() - first),
          x(known, Eigen::all),
          2,
          all.topRows(first),
          all.bottomRows(all.rows() - first),
          4};
}

struct PoolPosterior {
  std::string name;
  covary::HistoryCovariance history;
  double score;  // mean log density of a reading that was left out
};

/// All four, from the first part alone.
std::vector<PoolPosterior> beliefs(const Network& n) {
  const covary::HistoryCovariance sample = covary::internal::sample_covariance(n.first);
  const covary::internal::HistoryKernel<Row> learned = covary::internal::kernel_from_history<Row>(
      covary::parse<Row>("matern32()", {}), n.x, sample.covariance, double(sample.times - 1));
  fmt::print("  kernel: {}, nugget {:.3g}\n", learned.kernel.text(), learned.nugget);
  Matrix target = learned.kernel.cross(n.x, n.x);
  target.diagonal().array() += learned.nugget;
  const covary::HistoryOptions diagonal{.nugget = n.nugget}, kernel{.target = target, .nugget = n.nugget};
  const auto fixed = [&](covary::HistoryOptions o, double shrinkage) {
    o.shrinkage = shrinkage;
    return covary::from_history(n.first, o);
  };
  const covary::HistoryCovariance shrunk = covary::from_history(n.first, diagonal),
                                  both = covary::from_history(n.first, kernel);
  return {{"sample", fixed(diagonal, 0), shrunk.scores[0]},
          {fmt::format("shrunk {:.2f}", shrunk.shrinkage), shrunk, shrunk.scores.maxCoeff()},
          {"kernel", fixed(kernel, 1), both.scores[both.scores.size() - 1]},
          {fmt::format("both {:.2f}", both.shrinkage), both, both.scores.maxCoeff()}};
}

covary::PlacementProblem problem(const Network& n, const PoolPosterior& b) {
  covary::PlacementProblem p;
  p.fields = {covary::internal::with_nugget(covary::field_of(b.history.covariance), n.nugget)};
  p.distance = [x = Matrix(n.x.leftCols(n.plane))](Index i, Index j) { return (x.row(i) - x.row(j)).norm(); };
  return p;
}

using Errors = std::vector<double>;
const std::vector<Index> numbers{5, 10, 20};

Errors at_numbers(const Vector& rmse) {
  Errors out;
  for (const Index k : numbers) out.push_back(rmse[k]);
  return out;
}

void print_row(const std::string& belief, const std::string& by, const Errors& e, const std::string& remark) {
  fmt::print("  {:<14} {:<20} {:>8.3f} {:>8.3f} {:>8.3f}  {}\n", belief, by, e[0], e[1], e[2], remark);
}

/// One belief about the covariances: every criterion, and sets by chance.
void study(const Network& n, const PoolPosterior& b, bool best, Index repeats) {
  const covary::PlacementProblem p = problem(n, b);
  const covary::HeldOut held{b.history.mean, n.then};
  const auto rmse = [&](const std::vector<Index>& sensors) {
    const std::vector<covary::HeldOutScore> scores = covary::internal::held_out_scores(p, held, sensors);
    Vector out(std::ssize(scores));
    for (Index i = 0; i < out.size(); ++i) out[i] = scores[size_t(i)].rmse;
    return out;
  };
  for (const covary::CriterionEntry& e : covary::criteria()) {
    if (e.name == "random") continue;
    const covary::Placed set = covary::place(p, e, numbers.back());
    const Errors errors = at_numbers(rmse(set.places()));
    const double share = set.picks.back().share();
    print_row(b.name, e.name, errors,
              e.baseline || std::isnan(share)
                  ? ""
                  : fmt::format("at least {:.0f} % of the best 20", std::floor(100 * share)));
  }
  const covary::RandomSets chance = covary::internal::random_sets(p, numbers.back(), repeats, 1, rmse);
  print_row(b.name, fmt::format("chance, mean of {}", repeats), at_numbers(chance.mean), "");
  print_row(b.name, "chance, best 5 %", at_numbers(chance.lower),
            best ? "<- the best within the first part" : "");
}

void study(const Network& n, const bench::Options& o) {
  fmt::print("\n{}\n", n.name);
  const std::vector<PoolPosterior> all = beliefs(n);
  size_t best = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    fmt::print("  {:<14} log density of a reading left out {:.4f}\n", all[i].name, all[i].score);
    if (all[i].score > all[best].score) best = i;
  }
  fmt::print("  {:<14} {:<20} {:>8} {:>8} {:>8}\n", "covariances", "chosen by", "5", "10", "20");
  for (size_t i = 0; i < all.size(); ++i) study(n, all[i], i == best, o.has("quick") ? 20 : 200);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv);
    const std::string data = o.get("data");
    if (!std::filesystem::exists(data + "/spatial")) return bench::left_out(o, "networks", "no data");
    study(intel(data), o);
    study(particles(data), o);
    study(north_east(data), o);
  });
}
