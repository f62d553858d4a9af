// Version spaces: does `disagreement` need as few labels as theory says, and does hashing find the candidate nearest to
// a separator in a fraction of a scan?
//
//   version_spaces [--quick] [--data DIR] [--only thresholds|linear|hash|real]
#include <fmt/core.h>

#include <cmath>

#include "covary/gaussian/univariate.h"
#include "covary/kernels/expression.h"
#include "covary/select/hyperplane_hash.h"
#include "covary/select/selector.h"
#include "covary/select/version_space.h"
#include "measure.h"

namespace {

using covary::Index, covary::Matrix, covary::Vector;

// ---- thresholds on a line

Index labels_for_threshold(const Matrix& x, Index edge) {
  const covary::Process<covary::Row> prior(covary::parse<covary::Row>("linear(lengthscale=1)"));
  covary::Selector s(covary::parse_strategy("disagreement"), covary::pool_of<covary::Row>(prior, x),
                     {.kinds = 2});
  s.tell(0, 0);
  while (true) {
    const covary::Choice c = s.suggest()[0];
    if (c.score == 0) return s.belief().labels();
    s.tell(c.candidate, double(c.candidate >= edge));
  }
}

void thresholds(const bench::Options& o) {
  fmt::print(
      "thresholds on a line: labels of disagreement until all is inferred, the most of several thresholds\n");
  for (const auto& [n, times] : {std::pair<Index, int>{1000, 50}, {10000, 20}, {100000, 8}, {1000000, 3}}) {
    if (o.has("quick") && n > 100000) continue;
    const Matrix x = Vector::LinSpaced(n, 0, 1);
    covary::Random rng(3);
    Index most = 0;
    const double took = bench::seconds([&] {
      for (int t = 0; t < times; ++t) most = std::max(most, labels_for_threshold(x, 1 + rng.integer(n - 1)));
    });
    const double bound = 2 + std::log2(double(n)) + 2;
    fmt::print("{:>8} points: {} labels, {:.2f} s a threshold\n", n, most, took / times);
    bench::verdict(o, fmt::format("threshold among {} points: labels", n), fmt::format("{}", most),
                   fmt::format("<= {:.1f}", bound), double(most) <= bound);
  }
}

// ---- linear separators through the origin, points uniform on the sphere

struct Course {
  std::vector<double> labels, error;
};

double error_of(const covary::VersionSpace& v, const Vector& truth) {
  return std::acos(std::clamp(v.middle().dot(truth), -1.0, 1.0)) / M_PI;
}

Course chosen(const Matrix& x, const Vector& truth) {
  covary::VersionSpace v(x.cols());
  const auto tell = [&](Index i) { v.tell(x.row(i).transpose(), x.row(i).dot(truth) > 0 ? 1 : -1); };
  tell(0);
  std::vector<Index> open = covary::internal::all_indices(x.rows());
  Course out;
  while (true) {
    const Matrix some = x(open, Eigen::all);
    const Eigen::VectorXi agreed = v.agreed(some);
    std::vector<Index> rest;
    Index best = -1;
    double least = 2;
    for (Index k = 0; k < some.rows(); ++k) {
      if (agreed[k] != 0) continue;
      rest.push_back(open[static_cast<size_t>(k)]);
      if (const double f = std::abs(some.row(k).dot(v.middle())); f < least) least = f, best = rest.back();
    }
    if (best < 0) return out;
    open = std::move(rest);
    tell(best);
    out.labels.push_back(double(v.labels())), out.error.push_back(error_of(v, truth));
  }
}

Course by_chance(const Matrix& x, const Vector& truth, Index labels) {
  covary::VersionSpace v(x.cols());
  Course out;
  for (Index i = 0; i < labels; ++i) {
    v.tell(x.row(i).transpose(), x.row(i).dot(truth) > 0 ? 1 : -1);
    out.labels.push_back(double(v.labels())), out.error.push_back(error_of(v, truth));
  }
  return out;
}

double slope(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = std::ssize(x);
  const Vector a = Eigen::Map<const Vector>(x.data(), n), b = Eigen::Map<const Vector>(y.data(), n);
  const Vector off = a.array() - a.mean();
  return off.dot(b) / off.squaredNorm();
}

struct Interval {
  double mean, half;
};
Interval interval(const std::vector<double>& v) {
  const auto n = double(v.size());
  const Vector all = Eigen::Map<const Vector>(v.data(), std::ssize(v));
  const double sd = std::sqrt((all.array() - all.mean()).square().sum() / (n - 1));
  return {all.mean(), covary::internal::interval_quantile(95, n - 1) * sd / std::sqrt(n)};
}

/// Labels from which on the error stays at or below this one; infinite: it does not.
double labels_for(const Course& c, double error) {
  double out = std::numeric_limits<double>::infinity();
  for (size_t i = c.error.size(); i-- > 0 && c.error[i] <= error;) out = c.labels[i];
  return out;
}

void linear(const bench::Options& o) {
  const int repeats = o.has("quick") ? 6 : 20;
  const Index pool = 20000, random_labels = o.has("quick") ? 1000 : 3000;
  for (const Index d : {2, 5}) {
    std::vector<double> of_log, power;
    std::map<double, std::vector<double>> needed, needed_by_chance;
    for (int r = 0; r < repeats; ++r) {
      covary::Random rng(std::uint64_t(100 * d + r));
      Matrix x = rng.normal(pool, d);
      x.rowwise().normalize();
      const Vector truth = Vector(rng.normal(d, 1)).normalized();
      const Course a = chosen(x, truth), b = by_chance(x, truth, random_labels);
      std::vector<double> logs, labels, log_labels;
      for (size_t i = 0; i < a.error.size(); ++i)
        if (a.error[i] < 0.1 && a.error[i] > 2.0 * double(d) / double(pool))
          logs.push_back(-std::log(a.error[i])), labels.push_back(a.labels[i]);
      of_log.push_back(slope(logs, labels));
      logs.clear();
      for (size_t i = 0; i < b.error.size(); ++i)
        if (b.labels[i] >= double(4 * d))
          logs.push_back(-std::log(b.error[i])), log_labels.push_back(std::log(b.labels[i]));
      power.push_back(slope(log_labels, logs));
      for (const double e : {0.1, 0.03, 0.01, 0.003, 0.001})
        needed[e].push_back(labels_for(a, e)), needed_by_chance[e].push_back(labels_for(b, e));
    }
    const Interval s = interval(of_log), p = interval(power);
    fmt::print(
        "\n{} dimensions, {} points uniform on the sphere, {} repeats\n  error   disagreement   random "
        "(median)\n",
        d, pool, repeats);
    for (auto& [e, all] : needed) {
      const double own = bench::median(all), other = bench::median(needed_by_chance[e]);
      fmt::print("  {:<7} {:>12} {:>17}\n", e, std::isinf(own) ? "over" : fmt::format("{:.0f}", own),
                 std::isinf(other) ? fmt::format("over {}", random_labels) : fmt::format("{:.0f}", other));
    }
    fmt::print("  disagreement: {:.2f} +- {:.2f} labels for each factor e of the error (95 %)\n", s.mean,
               s.half);
    fmt::print("  random: the error falls as labels^-({:.2f} +- {:.2f})\n", p.mean, p.half);
    bench::verdict(o, fmt::format("labels for a factor e of the error, {} dimensions", d),
                   fmt::format("{:.2f} +- {:.2f}", s.mean, s.half), fmt::format("<= {}", 3 * d),
                   s.mean + s.half <= 3.0 * double(d));
    bench::verdict(o, fmt::format("random: error as a power of 1/labels, {} dimensions", d),
                   fmt::format("{:.2f} +- {:.2f}", p.mean, p.half), "about 1",
                   std::abs(p.mean - 1) <= p.half + 0.2);
  }
}

// ---- hyperplane hashing

void hashing(const bench::Options& o) {
  const Index m = o.has("quick") ? 100000 : 1000000, d = 100;
  const int queries = 60;
  for (const bool spread : {true, false}) {
    covary::Random rng(17);
    Matrix x(m, d + 1);
    for (Index j = 0; j < d; ++j) x.col(j) = rng.normal(m, 1) / (spread ? double(j + 1) : 1.0);
    const double size = std::sqrt(x.leftCols(d).rowwise().squaredNorm().mean());
    x.col(d).setConstant(size);
    double making = 0;
    std::optional<covary::HyperplaneHash> hash;
    making = bench::seconds([&] { hash.emplace(x, covary::HashOptions{}); });
    std::vector<double> scan, by_hash, ranks;
    double looked = 0;
    int nearest = 0, near = 0;
    for (int q = 0; q < queries; ++q) {
      const Vector a = x.row(rng.integer(m)).head(d), b = x.row(rng.integer(m)).head(d);
      Vector w(d + 1);  // the plane halfway between two points, as two labels give it
      w << a - b, -(a.squaredNorm() - b.squaredNorm()) / 2 / size;
      Vector f;
      Index best = 0;
      scan.push_back(bench::seconds([&] {
        f.noalias() = x * w;
        f.cwiseAbs().minCoeff(&best);
      }));
      covary::HyperplaneHash::Found found;
      by_hash.push_back(bench::seconds([&] { found = hash->nearest(w); }));
      const auto rank = (f.array().abs() < std::abs(f[found.best])).count();
      ranks.push_back(double(rank));
      nearest += rank == 0, near += rank < m / 10000;
      looked += double(found.points.size()) / double(m) / queries;
    }
    const double ratio = bench::median(scan) / bench::median(by_hash);
    const std::string which = spread ? "spread 1/j" : "no direction";
    fmt::print(
        "\n{} points in {} dimensions, {}: {} bits, made in {:.1f} s\n  scan {:.2f} ms, hash {:.3f} ms a "
        "query; looks at "
        "{:.2f} % of the points\n  finds the nearest in {} of {} queries, one of the nearest {} in {}, "
        "a random sample as large in {:.0f}; median rank {:.0f}\n",
        m, d, which, hash->bits(), making, 1e3 * bench::median(scan), 1e3 * bench::median(by_hash),
        100 * looked, nearest, queries, m / 10000, near,
        queries * (1 - std::pow(1 - looked, double(m / 10000))), bench::median(ranks));
    bench::verdict(o, fmt::format("hash against scan, {} points, {}: times faster", m, which),
                   fmt::format("{:.0f}", ratio), ">= 20", ratio >= 20);
    bench::verdict(o, fmt::format("... one of the nearest {} is found, share of queries", m / 10000),
                   fmt::format("{:.2f}", double(near) / queries), "-", true);
  }
}

/// Labels to 95 % of the accuracy of all labels: exact and hashed margins, a linear kernel.
void real(const bench::Options& o) {
  const std::string folder = o.get("data") + "/classify/";
  if (!std::filesystem::exists(folder))
    return bench::left_out(o, "labels with hashed margins", "no data folder");
  struct Set {
    const char *name, *options;
  };
  for (const Set& set : {Set{"wdbc.csv", "--target class --classify"},
                         Set{"svmguide1_train.csv.gz", "--target class --classify"}}) {
    const nlohmann::json j = nlohmann::json::parse(
        bench::output_of(fmt::format("{} replay {} {} --kernel 'linear()' --strategy svm-margin --strategy "
                                     "'svm-margin(hash=4)' --budget {} --reach 95% "
                                     "--repeats {} --json -q",
                                     bench::quoted(COVARY_COMMAND), bench::quoted(folder + set.name),
                                     set.options, 120, o.has("quick") ? 4 : 20)));
    double labels[2] = {0, 0};
    for (size_t k = 0; k < 2; ++k) {
      const nlohmann::json& n = j["strategies"][k]["labels_to_reach"];
      labels[k] = n.is_null() ? std::numeric_limits<double>::infinity() : n.get<double>();
    }
    fmt::print("\n{}: labels to an error of {:.4g}: {} exact, {} hashed\n", set.name,
               j["reach"].get<double>(), labels[0], labels[1]);
    bench::verdict(o, fmt::format("{}: labels with hashed margins, of exact ones", set.name),
                   fmt::format("{:.2f}", labels[1] / labels[0]), "<= 1.10", labels[1] <= 1.1 * labels[0]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"only"});
    const std::string only = o.get("only");
    if (only.empty() || only == "thresholds") thresholds(o);
    if (only.empty() || only == "linear") linear(o);
    if (only.empty() || only == "hash") hashing(o);
    if (only.empty() || only == "real") real(o);
  });
}
