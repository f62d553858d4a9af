// What does weight space cost? Bayesian linear regression with its prior width and noise found by evidence,
// against scikit-learn; a ridge path with exact leave-one-out, against one thin singular value decomposition;
// weights of random Fourier features, made on the way, against bare dsyrk + dpotrf.
//
//   linear [--quick] [--python PATH]
#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "covary/base/runtime.h"
#include "covary/basis/basis.h"
#include "covary/linear/ridge.h"
#include "covary/linear/weights.h"
#include "floor.h"
#include "measure.h"

namespace {

using covary::Index, covary::Matrix, covary::Vector;

/// Times of both, taken by turns so that whatever else the machine does meets both; medians are compared.
struct Turns {
  std::vector<double> ours, theirs;

  double ratio() const { return bench::median(ours) / bench::median(theirs); }
  void print(const std::string& what) const {
    fmt::print("{:<34} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>9.2f}\n", what, bench::median(ours),
               bench::least(ours), bench::median(theirs), bench::least(theirs), ratio());
  }
};

double relative(const Vector& a, const Vector& b) { return (a - b).norm() / b.norm(); }

void equal(const bench::Options& o, const std::string& what, double difference, double most) {
  bench::verdict(o, what, fmt::format("{:.1e}", difference), fmt::format("<= {:.0e}", most),
                 difference <= most);
}

// ------------------------------------------------------------------ prior width and noise, by evidence

/// n x d that lean on each other, and y a weighted sum of them around 3.
struct Regression {
  Matrix x;
  Vector y;
};

Regression regression(Index n, Index d) {
  covary::Random rng(11);
  Matrix x = rng.normal(n, d);
  for (Index j = 1; j < d; ++j) x.col(j) += 0.5 * x.col(j - 1);
  x.array() += 2;
  const Vector w = rng.normal(d, 1);
  Vector y = (x * w).array() + 3 + 2 * rng.normal(n, 1).array();
  return {std::move(x), std::move(y)};
}

/// The columns of x behind one of ones.
covary::internal::RowBlocks with_intercept(const Matrix& x) {
  return {x.rows(), x.cols() + 1, [&x](covary::Range r) {
            Matrix block(r.count, x.cols() + 1);
            block.col(0).setOnes();
            block.rightCols(x.cols()) = x.middleRows(r.first, r.count);
            return block;
          }};
}

/// Of the intercept nothing is known before.
covary::Weights prior(Index d, double variance, double noise) {
  Vector variances = Vector::Constant(d + 1, variance);
  variances[0] = std::numeric_limits<double>::infinity();
  return covary::Weights(covary::WeightPrior::each(variances), covary::NoisePrior::known(noise));
}

struct Posterior {
  double prior_variance = 0, noise = 0;
  Vector mean;
  Matrix covariance;
};

/// The rows are met once: their triangle says which penalty, and what is then known of the weights.
Posterior by_evidence(const Regression& data) {
  const Index n = data.y.size(), d = data.x.cols();
  const covary::internal::Triangle t =
      covary::internal::triangle(with_intercept(data.x), data.y, covary::internal::Triangle(d + 1));
  covary::RidgeOptions options;
  options.by = covary::RidgeOptions::By::evidence;
  options.scale = Vector::Ones(d + 1);
  options.scale[0] = 0;
  const covary::RidgePath p = covary::ridge_path(t, n, options);
  const double penalty = p.penalties[p.best], squares = p.weights.col(p.best).tail(d).squaredNorm();
  const double noise = (p.rss[p.best] + penalty * squares) / double(n);
  const covary::Weights w = prior(d, noise / penalty, noise).condition(t.r, t.z);
  return {noise / penalty, noise, w.mean(), w.covariance()};
}

double log_evidence(const Regression& data, double prior_variance, double noise) {
  return prior(data.x.cols(), prior_variance, noise).condition(with_intercept(data.x), data.y).log_evidence();
}

/// Column by column, y last: what the peer reads.
void write_columns(const std::string& path, const Regression& data) {
  std::ofstream file(path, std::ios::binary);
  const auto write = [&](const auto& m) {
    file.write(reinterpret_cast<const char*>(m.data()), std::streamsize(sizeof(double)) * m.size());
  };
  write(data.x), write(data.y);
  if (!file) throw std::runtime_error("cannot write " + path);
}

void against_sklearn(const bench::Options& o) {
  const Index n = 200'000, d = 50;
  const std::string what = "Bayesian linear regression by evidence";
  const std::string python = bench::peers_python(o, "sklearn");
  if (python.empty()) return bench::left_out(o, what + " against scikit-learn", "not installed");
  const Regression data = regression(n, d);
  const std::string file = bench::scratch(o) + "/linear.bin";
  write_columns(file, data);
  const std::string command =
      fmt::format("{} {} {}", bench::peer(python, "linear_sklearn"), bench::quoted(file), d);
  Turns turns;
  Posterior ours;
  nlohmann::json theirs;
  for (int r = 0; r < (o.has("quick") ? 2 : 5); ++r) {
    theirs = nlohmann::json::parse(bench::output_of(command));
    turns.theirs.push_back(theirs["seconds"].get<double>());
    std::vector<double> took;
    for (int again = 0; again < 2; ++again) took.push_back(bench::seconds([&] { ours = by_evidence(data); }));
    turns.ours.push_back(bench::least(took));
  }
  turns.print(fmt::format("evidence, n = {}, N = {}", n, d));
  const auto weights = theirs["weights"].get<std::vector<double>>();
  equal(o, what + ": difference from scikit-learn's",
        relative(ours.mean, Eigen::Map<const Vector>(weights.data(), d + 1)), 1e-4);
  const double best = log_evidence(data, ours.prior_variance, ours.noise);
  const double more = best - log_evidence(data, theirs["prior_variance"], theirs["noise"]);
  bench::verdict(o, what + ": nats more than scikit-learn's", fmt::format("{:.1e}", more), ">= 0",
                 more >= -1e-12 * std::abs(best));
  bench::verdict(o, what + ": times faster than scikit-learn", fmt::format("{:.1f}x", 1 / turns.ratio()),
                 ">= 5x", turns.ratio() <= 1.0 / 5);
}

// ------------------------------------------------------------------------- a ridge path, leave-one-out

/// The same weights and errors from A = U S V'.
double difference_from(const bench::ThinSvd& svd, const Vector& y, const covary::RidgePath& p) {
  const Vector c = svd.u.transpose() * y;
  double worst = 0;
  for (Index l = 0; l < p.penalties.size(); l += 9) {
    const Vector s = svd.s, kept = s.array().square() / (s.array().square() + p.penalties[l]);
    const Vector w = svd.vt.transpose() * kept.cwiseProduct(c).cwiseQuotient(s);
    const Vector off = y - svd.u * kept.cwiseProduct(c);
    const Vector left = 1 - (svd.u.array().square().matrix() * kept).array();
    const double rmse = std::sqrt(off.cwiseQuotient(left).squaredNorm() / double(y.size()));
    worst = std::max({worst, relative(p.weights.col(l), w), std::abs(p.leave_one_out[l] / rmse - 1)});
  }
  return worst;
}

void against_svd(const bench::Options& o) {
  const Index n = 20'000, d = 500;
  const Regression data = regression(n, d);
  covary::RidgeOptions options;
  options.refine = false;
  const std::string what = "ridge path of 100 penalties with leave-one-out";
  bench::ThinSvd svd(n, d);
  svd.decompose(data.x);
  equal(o, what + ": difference", difference_from(svd, data.y, ridge_path(data.x, data.y, options)), 1e-8);
  for (const bool refine : {false, true}) {
    options.refine = refine;
    Turns turns;
    for (int r = 0; r < (o.has("quick") ? 3 : 7); ++r) {
      turns.theirs.push_back(svd.decompose(data.x));
      turns.ours.push_back(bench::seconds([&] { ridge_path(data.x, data.y, options); }));
    }
    turns.print(fmt::format("ridge path, n = {}, N = {}{}", n, d, refine ? ", refined" : ""));
    if (!refine)
      bench::verdict(o, what + ": time over dgesdd", fmt::format("{:.2f}x", turns.ratio()), "<= 1.5x",
                     turns.ratio() <= 1.5);
  }
}

// ------------------------------------------------------------------------------ random Fourier features

/// Lower triangle of Phi'Phi + I, in one call or in blocks of rows, then factored. Seconds.
double factored(const Matrix& phi, Index block, Matrix& c) {
  c = Matrix::Identity(phi.cols(), phi.cols());
  return bench::seconds([&] {
    for (Index i = 0; i < phi.rows(); i += block)
      bench::add_squares(phi.middleRows(i, std::min(block, phi.rows() - i)), c);
    bench::factor(c);
  });
}

void against_products(const bench::Options& o) {
  const Index n = o.has("quick") ? 20'000 : 100'000, d = 10, count = 2000;
  const Regression data = regression(n, d);
  std::vector<std::string> names;
  for (Index j = 0; j < d; ++j) names.push_back(fmt::format("x{}", j + 1));
  const covary::Features features = covary::parse_features(
      fmt::format("fourier(features={}, kernel=se(lengthscale=5), seed=1)", count), names);
  const covary::internal::RowBlocks rows{
      n, count, [&](covary::Range r) { return features(data.x.middleRows(r.first, r.count), r.first); }};
  const covary::Weights prior(covary::WeightPrior::isotropic(count, 1), covary::NoisePrior::known(1));
  const Matrix phi = features(data.x);
  Matrix c;
  Vector w;
  factored(phi, n, c);
  Vector expected = phi.transpose() * data.y;
  c.triangularView<Eigen::Lower>().solveInPlace(expected);
  c.transpose().triangularView<Eigen::Upper>().solveInPlace(expected);
  Turns turns;
  for (int r = 0; r < (o.has("quick") ? 3 : 5); ++r) {
    turns.theirs.push_back(std::min(factored(phi, n, c), factored(phi, 4096, c)));
    turns.ours.push_back(bench::seconds([&] { w = prior.condition(rows, data.y).mean(); }));
  }
  turns.print(fmt::format("Fourier features, n = {}, N = {}", n, count));
  equal(o, "weights of Fourier features: difference", relative(w, expected), 1e-8);
  bench::verdict(o, "weights of Fourier features, made on the way: over dsyrk + dpotrf",
                 fmt::format("{:.2f}x", turns.ratio()), "<= 1.5x", turns.ratio() <= 1.5);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"only"});
    const std::string only = o.get("only");
    fmt::print("Weight space\n{}\n", covary::internal::machine().text());
    fmt::print("{:<34} {:>10} {:>10} {:>10} {:>10} {:>9}\n", "", "ours s", "least", "theirs s", "least",
               "ratio");
    if (only.empty() || only == "evidence") against_sklearn(o);
    if (only.empty() || only == "path") against_svd(o);
    if (only.empty() || only == "features") against_products(o);
  });
}
