// What is it worth to take hyper-parameters for uncertain: in predictions, and in choosing what to measure?
//
// 1. Mixture predictions beside plug-in: NLPD, CRPS and the coverage of 95 % intervals after 10, 20 and 40 rows of eight
//    sets of uci/, 10 subsets each, scored on 200 other rows.
// 2. Strategies that explore hyper-parameters, implicitly and explicitly, beside mutual information with the parameters
//    of a first guess (length-scales 4 times too long) and with those of the truth (on real data: of a fit to all
//    sensors). A field on a line, Intel lab temperatures, NE-US temperatures: RMSE and negative log density at the
//    candidates without a label after 5, 10, 15, 20 labels. A strategy predicts as it chooses: by the mixture, the guess
//    or the truth.
// 3. The bound on the adaptivity gap where four parameter vectors are known: what 8 labels in sequence tell more than 8
//    chosen at once, nats, on average over the fields of a scene, beside the bound.
//
//   exploration [--quick] [--data DIR]
#include <cmath>

#include "../core/src/select/scores/parameter_mixture.h"
#include "covary/gaussian/normal_mixture.h"
#include "covary/kernels/expression.h"
#include "covary/model/marginalized.h"
#include "covary/predictive/mixture.h"
#include "covary/predictive/score.h"
#include "covary/predictive/student_t.h"
#include "covary/select/adaptivity_gap.h"
#include "covary/select/selector.h"
#include "uci.h"

namespace {

using covary::Index, covary::Matrix, covary::Vector, covary::Row, covary::Process, covary::Prediction;

// --------------------------------------------------------------------------------------------- 1. predictions

struct Sum {
  double nlpd = 0, crps = 0, inside = 0;
  int n = 0;
  void add(const covary::Scores& s) {
    nlpd += s.nlpd, crps += s.crps, inside += s.coverage[2].covered(), ++n;
  }
  double mean(double v) const { return v / n; }
};

void predictions(const bench::Options& o) {
  const int subsets = o.has("quick") ? 2 : 10;
  fmt::print("{:<10} {:>5} {:>9} {:>9} {:>8} {:>8} {:>7} {:>7}\n", "set", "rows", "NLPD", "mixture", "CRPS",
             "mixture", "95 %", "mixture");
  int better = 0, all = 0, nearer = 0;
  for (const char* name :
       {"servo", "machine", "yacht", "autompg", "housing", "stock", "energy", "concrete"}) {
    if (!bench::have_set(o, name)) continue;
    const bench::Split s = bench::split(o, name, 0);
    Matrix x(s.train.x.rows() + s.test.x.rows(), s.train.x.cols());
    x << s.train.x, s.test.x;
    const Vector y = covary::internal::concat(s.train.y, s.test.y);
    std::vector<std::string> features;
    for (Index k = 0; k < x.cols(); ++k) features.push_back("x" + std::to_string(k + 1));
    for (const Index n : {10, 20, 40}) {
      Sum plug_in, mixture;
      for (int r = 0; r < subsets; ++r) {
        covary::Random rng(std::uint64_t(1000 * n + r));
        std::vector<Index> order = rng.subset(y.size(), std::min<Index>(y.size(), n + 200)), train, test;
        const std::vector<Index> chosen = rng.subset(std::ssize(order), n);
        for (Index i = 0, next = 0; i < std::ssize(order); ++i)
          if (next < n && chosen[size_t(next)] == i)
            train.push_back(order[size_t(i)]), ++next;
          else
            test.push_back(order[size_t(i)]);
        covary::Request request;
        request.kernel = "matern52()", request.noise = "learn", request.mean = "constant";
        const covary::FittedModel m = covary::fit(request, {x(train, Eigen::all), y(train), features});
        const Matrix at = x(test, Eigen::all);
        plug_in.add(covary::score(m.predict(at, covary::Of::y), y(test)));
        mixture.add(covary::score(covary::MarginalizedModel(m).predict(at, covary::Of::y), y(test)));
      }
      fmt::print("{:<10} {:>5} {:>9.3f} {:>9.3f} {:>8.4f} {:>8.4f} {:>7.1f} {:>7.1f}\n", name, n,
                 plug_in.mean(plug_in.nlpd), mixture.mean(mixture.nlpd), plug_in.mean(plug_in.crps),
                 mixture.mean(mixture.crps), plug_in.mean(plug_in.inside), mixture.mean(mixture.inside));
      ++all, better += mixture.nlpd < plug_in.nlpd;
      nearer += std::abs(mixture.mean(mixture.inside) - 95) < std::abs(plug_in.mean(plug_in.inside) - 95);
    }
  }
  if (all == 0) return bench::left_out(o, "mixture beside plug-in", "no uci/ sets");
  bench::verdict(o, "smaller NLPD by the mixture, of sets and sizes", fmt::format("{} of {}", better, all),
                 "> half", 2 * better > all);
  bench::verdict(o, "coverage of 95 % nearer by the mixture", fmt::format("{} of {}", nearer, all), "> half",
                 2 * nearer > all);
}

// ---------------------------------------------------------------------------------------------- 2. strategies

/// Candidates with what they would show, the parameters known and a first guess of them.
struct Field {
  Matrix x;
  Vector y;
  Process<Row> truth, guess;
};

/// The same with length-scales 4 times as long.
Process<Row> guessed(const Process<Row>& truth) {
  const covary::Kernel<Row>& k = truth.kernel();
  Vector theta = k.theta();
  Index next = 0;
  for (const covary::Parameter& p : k.parameters()) {
    if (p.fixed) continue;
    if (p.role == covary::Role::lengthscale) theta[next] += std::log(4.0);
    ++next;
  }
  return Process<Row>(k.with(theta), truth.trend(), truth.noise());
}

/// Predictions of y at every candidate: by the belief itself, or by the mixture around it.
Prediction predicted(const covary::PoolPosterior& belief, bool mixed) {
  if (!mixed)
    return covary::StudentT{belief.mean().col(0),
                            (belief.variance() + belief.pool().noise).cwiseMax(1e-12).cwiseSqrt()};
  covary::select::ParameterMixture all(32, 1.5, covary::select::ParameterMixture::Drawn::anew);
  all.follow(belief);
  const Matrix mean = all.mean(), sd = all.sd();
  std::vector<Prediction> parts;
  for (Index s = 0; s < mean.cols(); ++s)
    parts.emplace_back(covary::StudentT{mean.col(s), sd.col(s).cwiseMax(1e-6)});
  return covary::internal::mixture_of(std::move(parts), all.weights());
}

struct Way {
  const char *name, *strategy;
  bool knows, mixed;
};
constexpr Way ways[] = {{"known", "information", true, false},
                        {"first guess", "information", false, false},
                        {"implicit", "mixture-information", false, true},
                        {"entropy", "mixture-entropy", false, true},
                        {"explicit", "explicit-exploration", false, true},
                        {"explicit 1", "explicit-exploration(gap=1)", false, true},
                        {"random", "random", false, true}};
constexpr Index marks[] = {5, 10, 15, 20};

void strategies(const bench::Options& o, const char* name, const std::vector<Field>& fields) {
  if (fields.empty()) return bench::left_out(o, name, "no data");
  fmt::print("\n{}, {} fields: RMSE and negative log density after 5, 10, 15, 20 labels\n", name,
             fields.size());
  double guess = 0, implicit = 0;
  for (const Way& w : ways) {
    Matrix sum = Matrix::Zero(2, std::size(marks));
    double switched = 0;
    for (size_t f = 0; f < fields.size(); ++f) {
      const Field& field = fields[f];
      covary::Selector s(covary::parse_strategy(w.strategy),
                         covary::pool_of<Row>(w.knows ? field.truth : field.guess, field.x), {.seed = f + 1});
      Index exploring = 0;
      for (Index k = 0, mark = 0; mark < std::ssize(marks); ++k) {
        if (k == marks[mark]) {
          std::vector<Index> left;
          for (Index i = 0; i < field.y.size(); ++i)
            if (s.is_open(i)) left.push_back(i);
          const covary::Scores scores =
              covary::score(predicted(s.belief(), w.mixed).picked(left), field.y(left));
          sum(0, mark) += scores.rmse, sum(1, mark) += scores.nlpd, ++mark;
        }
        const covary::Choice c = s.suggest()[0];
        exploring += c.reason.starts_with("explores");
        s.tell(c.candidate, field.y[c.candidate]);
      }
      switched += double(exploring);
    }
    sum /= double(fields.size());
    fmt::print("  {:<12}", w.name);
    for (Index k = 0; k < sum.cols(); ++k) fmt::print(" {:>7.3f}", sum(0, k));
    fmt::print("   ");
    for (Index k = 0; k < sum.cols(); ++k) fmt::print(" {:>7.3f}", sum(1, k));
    if (switched > 0) fmt::print("   explored for {:.1f} labels", switched / double(fields.size()));
    fmt::print("\n");
    if (std::string(w.name) == "first guess") guess = sum.row(1).sum();
    if (std::string(w.name) == "implicit") implicit = sum.row(1).sum();
  }
  bench::verdict(o, fmt::format("{}: log density, implicit over first guess", name),
                 fmt::format("{:.3f}", (guess - implicit) / 4), "> 0", implicit < guess);
}

std::vector<Field> on_a_line(int count) {
  std::vector<Field> out;
  const Matrix x = Vector::LinSpaced(100, 0, 50);
  const Process<Row> truth(covary::parse<Row>("4 * matern52(lengthscale=3)"), covary::constant_mean<Row>(),
                           covary::Noise::of(0.05));
  const Process<Row> zero(truth.kernel(), covary::zero_mean<Row>(), truth.noise());
  for (int r = 0; r < count; ++r)
    out.push_back({x, zero.sample(x, 1, std::uint64_t(r + 1), covary::Of::y).col(0).array() + 20, truth,
                   guessed(truth)});
  return out;
}

/// Columns of a table as fields over its places; the truth is a fit to all places.
std::vector<Field> of_table(const std::string& path, const std::vector<std::string>& place, double unit,
                            int count) {
  if (!std::filesystem::exists(path)) return {};
  const covary::Table table = covary::read_csv_file(path);
  std::vector<std::string> times;
  for (const std::string& n : table.names())
    if (n.starts_with("y.") || n.starts_with("train_") || n.starts_with("test_")) times.push_back(n);
  std::vector<Field> out;
  for (int r = 0; r < count; ++r) {
    const std::string& time = times[size_t(r) * times.size() / size_t(count)];
    std::vector<std::string> needed = place;
    needed.push_back(time);
    const std::vector<Index> rows = covary::internal::present_rows(table, needed);
    const Matrix x = covary::internal::numbers(table, place, rows) / unit;
    const Vector y = covary::internal::numbers(table, {time}, rows).col(0);
    const auto fitted = covary::fit<Row>({covary::parse<Row>("matern52()")}, x, y, {.starts = 4});
    const Process<Row> truth(fitted.process.kernel(), fitted.process.trend(), fitted.process.noise());
    out.push_back({x, y, truth, guessed(truth)});
  }
  return out;
}

// ----------------------------------------------------------------------------------------------- 3. the bound

/// Candidates on a line, the parameters known to be one of four, each as likely.
struct Game {
  Matrix x;
  double noise = 0.1;
  std::vector<covary::PoolPosterior> members;
  std::vector<Process<Row>> processes;
  explicit Game(std::uint64_t seed) {
    covary::Random rng(seed);
    x = 2 * rng.normal(25, 1);
    for (int s = 0; s < 4; ++s) {
      const double variance = std::exp(rng.normal()), length = std::exp(1.5 * rng.normal());
      processes.emplace_back(covary::parse<Row>(fmt::format("{} * se(lengthscale={})", variance, length)),
                             covary::zero_mean<Row>(), covary::Noise::of(noise));
      members.emplace_back(covary::pool_of<Row>(processes.back(), x));
    }
  }
};

/// log w_truth(y) - log w_truth + F(A | truth) of labels y at places that `next` chooses.
template <class Next>
double told(const Game& game, size_t truth, const Vector& y, Index k, const Next& next) {
  std::vector<covary::PoolPosterior> members = game.members;
  Vector log_weights = Vector::Zero(4);
  double f = 0;
  for (Index j = 0; j < k; ++j) {
    const Vector weights = covary::internal::normalized_weights(log_weights);
    const Index i = next(j, members, weights);
    f += 0.5 * std::log1p(members[truth].variance()[i] / game.noise);
    for (Index s = 0; s < 4; ++s) {
      covary::PoolPosterior& m = members[size_t(s)];
      const double v = m.variance()[i] + game.noise, off = y[i] - m.mean()(i, 0);
      log_weights[s] -= 0.5 * (std::log(v) + off * off / v);
      m.tell(i, Vector::Constant(1, y[i]));
    }
  }
  return std::log(covary::internal::normalized_weights(log_weights)[Index(truth)] * 4) + f;
}

/// The candidate whose label tells most of f and theta: the largest entropy of the mixture.
Index most_telling(const Game& game, const std::vector<covary::PoolPosterior>& members,
                   const Vector& weights) {
  Matrix mean(game.x.rows(), 4), sd(game.x.rows(), 4);
  for (Index s = 0; s < 4; ++s) {
    const covary::PoolPosterior& m = members[size_t(s)];
    mean.col(s) = m.mean().col(0), sd.col(s) = (m.variance().array() + game.noise).sqrt();
  }
  const std::vector<Index>& known = members[0].order();
  Index best = 0;
  double highest = -INFINITY;
  for (Index i = 0; i < game.x.rows(); ++i) {
    if (std::find(known.begin(), known.end(), i) != known.end()) continue;
    const Vector m = mean.row(i), s = sd.row(i);
    const double h = covary::internal::NormalMixture{weights, m, s}.entropy();
    if (h > highest) highest = h, best = i;
  }
  return best;
}

/// What a sequence gains over the fixed design is an expectation over fields: in single fields it may be more than the
/// bound, on average over those of a scene it may not.
void bound(const bench::Options& o) {
  const Index k = 8;
  const int scenes = o.has("quick") ? 10 : 40, fields = o.has("quick") ? 24 : 60;
  int above = 0, single = 0;
  double nearest = 0, all = 0, bounds = 0;
  for (int scene = 0; scene < scenes; ++scene) {
    const Game game(std::uint64_t(scene + 1));
    const covary::AdaptivityGap gap = covary::adaptivity_gap(game.members, Vector::Constant(4, 0.25), k);
    double sum = 0;
    for (int r = 0; r < fields; ++r) {
      const size_t truth = size_t(r) % 4;
      const Vector y = game.processes[truth].sample(game.x, 1, std::uint64_t(r + 1), covary::Of::y).col(0);
      const double in_sequence = told(game, truth, y, k, [&](Index, const auto& members, const Vector& w) {
        return most_telling(game, members, w);
      });
      const double at_once =
          told(game, truth, y, k, [&](Index j, const auto&, const Vector&) { return gap.design[size_t(j)]; });
      sum += in_sequence - at_once, single += in_sequence - at_once > gap.bound();
    }
    const double mean = sum / fields;
    above += mean > gap.bound(), nearest = std::max(nearest, mean / gap.bound());
    all += mean / scenes, bounds += gap.bound() / scenes;
  }
  fmt::print(
      "\nadaptivity gap of {} labels, {} scenes of 4 parameter vectors, {} fields each: a sequence tells "
      "{:.3f} nats "
      "more than the fixed design on average, the bound is {:.3f}; largest share of its bound in a scene "
      "{:.2f}; "
      "single fields above it: {} of {}\n",
      k, scenes, fields, all, bounds, nearest, single, scenes * fields);
  bench::verdict(o, "scenes in which a sequence gained more than the bound", std::to_string(above), "0",
                 above == 0);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"only"});
    const std::string data = o.get("data"), only = o.get("only");
    const int count = o.has("quick") ? 3 : 12;
    if (only.empty() || only == "predictions") predictions(o);
    if (only.empty() || only == "strategies") {
      strategies(o, "field on a line", on_a_line(count));
      strategies(o, "Intel lab",
                 of_table(data + "/spatial/intel_lab_temperature_50x240.csv.gz", {"x_m", "y_m"}, 10, count));
      strategies(o, "NE-US",
                 of_table(data + "/spatial/ne_us_monthly_temp.csv.gz", {"UTMX", "UTMY"}, 1e5, count));
    }
    if (only.empty() || only == "bound") bound(o);
  });
}
