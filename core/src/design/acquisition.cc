#include "covary/design/acquisition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "select/scores/improvement.h"

namespace covary::internal {
namespace {

/// The common inputs of all acquisition functions.
struct Surface {
  Process<Row> process;
  PosteriorSlopes slopes;
  double sign = 1, best = 0;  // the largest mean of sign f at a measured input

  Surface(const Process<Row>& p, bool minimize) : process(p), slopes(p), sign(minimize ? -1 : 1) {
    if (p.size() > 0) best = (sign * p.mean(p.inputs(), 1)).maxCoeff();
  }
};
using Shared = std::shared_ptr<const Surface>;

/// sd and its gradient: 0 where the variance is rounding.
std::pair<double, Vector> sd_of(const PosteriorSlopes::Point& p) {
  const double sd = std::sqrt(std::max(p.variance, 0.0));
  if (!(p.variance > 1e-300)) return {sd, Vector::Zero(p.variance_slopes.size())};
  return {sd, p.variance_slopes / (2 * sd)};
}

/// A function of gain = sign mean - level and sd.
using OfGain = std::function<select::Promise(double gain, double sd)>;

Acquisition of_gain(const Shared& s, double level, const OfGain& f) {
  Acquisition out;
  out.values = [s, level, f](const Rows& at) {
    const Marginals m = s->process.predict(at, Of::f, 1);
    Vector v(at.rows());
    for (Index i = 0; i < v.size(); ++i)
      v[i] = f(s->sign * m.mean[i] - level, std::sqrt(std::max(m.variance[i], 0.0))).value;
    return v;
  };
  out.slopes = [s, level, f](const Rows& x) -> std::pair<double, Vector> {
    const PosteriorSlopes::Point p = s->slopes.point(x);
    const auto [sd, sd_slopes] = sd_of(p);
    const select::Promise a = f(s->sign * p.mean - level, sd);
    return {a.value, a.gain * s->sign * p.mean_slopes + a.sd * sd_slopes};
  };
  return out;
}

Acquisition expected_improvement_over(const Shared& s) {
  Acquisition out = of_gain(s, s->best, select::log_expected_improvement);
  out.score = [](double v) { return std::exp(v); };
  out.reason = [s](const Rows& x, double v) {
    const Marginals m = s->process.predict(x, Of::f, 1);
    const double gain = s->sign * m.mean[0] - s->best;
    return fmt::format("better than {:.4g} by {:.2g} on average, with probability {:.2g}", s->sign * s->best,
                       std::exp(v), select::probability_of_improvement(gain, std::sqrt(m.variance[0])).value);
  };
  return out;
}

/// The standard deviation of the labels.
double spread_of(const Vector& y) {
  return y.size() < 2 ? 0 : std::sqrt((y.array() - y.mean()).square().mean());
}

Acquisition probability_over(const Shared& s, double margin) {
  const double wanted = s->best + margin * spread_of(s->process.observations());
  Acquisition out = of_gain(s, wanted, select::log_probability_of_improvement);
  out.score = [](double v) { return std::exp(v); };
  out.reason = [s, wanted](const Rows&, double v) {
    return fmt::format("{} {:.4g} with probability {:.2g}", s->sign > 0 ? "above" : "below", s->sign * wanted,
                       std::exp(v));
  };
  return out;
}

Acquisition confidence_over(const Shared& s, double beta) {
  const double sds = std::sqrt(beta);
  Acquisition out = of_gain(s, 0, [sds](double mean, double sd) {
    return select::Promise{mean + sds * sd, 1, sds};
  });
  out.score = [](double v) { return v; };
  out.reason = [s](const Rows& x, double v) {
    const Marginals m = s->process.predict(x, Of::f, 1);
    return fmt::format("mean {:.4g} and sd {:.2g}: as {} as {:.4g}", m.mean[0], std::sqrt(m.variance[0]),
                       s->sign > 0 ? "large" : "small", s->sign * v);
  };
  return out;
}

Acquisition uncertainty_over(const Shared& s) {
  Acquisition out = of_gain(s, 0, [](double, double sd) { return select::Promise{sd * sd, 0, 2 * sd}; });
  out.score = [](double v) { return v; };
  out.reason = [](const Rows&, double v) { return fmt::format("sd of f is {:.3g}", std::sqrt(v)); };
  return out;
}

/// The gradient of a draw: central differences of order six.
Acquisition thompson_over(const Shared& s, std::uint64_t seed) {
  const auto draw = [&] {
    try {
      return s->process.path(seed);
    } catch (const Error& e) {
      if (e.problem() != Problem::usage) throw;
      throw Error(Problem::usage,
                  fmt::format("strategy thompson in a domain: {}, from a table of candidates", e.what()));
    }
  }();
  const Vector h = difference_steps(s->process.inputs());
  Acquisition out;
  out.values = [s, draw](const Rows& at) { return Vector(s->sign * draw(at)); };
  out.slopes = [s, draw, h](const Rows& x) -> std::pair<double, Vector> {
    const Vector around = s->sign * draw(difference_points(x, h));
    return {s->sign * draw(x)[0], difference_slopes(around, h).col(0)};
  };
  out.score = [](double v) { return v; };
  out.reason = [s](const Rows& x, double v) {
    return fmt::format("the {} of a draw from the posterior: {:.4g} there, mean {:.4g}",
                       s->sign > 0 ? "largest" : "smallest", s->sign * v, s->process.mean(x, 1)[0]);
  };
  return out;
}

/// The points t of the knowledge gradient, made ready.
struct Reference {
  Matrix points;                     // r x d
  PosteriorSlopes::Weights weights;  // of these
  Vector mean;                       // r: of sign f
  double noise = 0, now = 0;         // the variance of a label; the largest mean
  double prior = 0;                  // the largest variance before any label
};

Reference reference_of(const Surface& s, const Matrix& more) {
  const Matrix x = s.process.inputs();
  const std::vector<Index> some = representatives(x.rows(), 300);
  Reference out;
  out.points = join(Rows(Matrix(x(some, Eigen::all))), Rows(more));
  out.weights = s.slopes.weights(out.points);
  out.mean = s.sign * s.process.mean(out.points, 1);
  out.noise = s.process.noise_of_new().variances(1)[0];
  out.now = out.mean.maxCoeff();
  out.prior = s.process.kernel().diag(Rows(out.points)).maxCoeff();
  return out;
}

/// The lines of the means after a label at x: that of x itself is the last.
struct Lines {
  Vector a, b;
  double sd;  // of the label
};
Lines lines_of(const Reference& r, double mean, double variance, const Eigen::Ref<const Vector>& cov) {
  const double sd = std::sqrt(std::max(variance + r.noise, 1e-300));
  Lines out{Vector(r.mean.size() + 1), Vector(r.mean.size() + 1), sd};
  out.a << r.mean, mean;
  out.b << cov / sd, std::max(variance, 0.0) / sd;
  return out;
}

constexpr double least_gain = 1e-300;

/// max a - max mean + E max_i (a_i + b_i Z) - max a; 0 below the rounding of the means, and of b, which is what is left of
/// prior variances.
double gain_of(const Reference& r, const Lines& l, double value) {
  const double gain = std::max(l.a.maxCoeff() - r.now, 0.0) + value;
  return gain > 1e-13 * (l.a.cwiseAbs().maxCoeff() + std::min(r.prior / l.sd, std::sqrt(r.prior))) ? gain : 0;
}

Acquisition knowledge_gradient_over(const Shared& s, const Matrix& more) {
  const auto r = std::make_shared<const Reference>(reference_of(*s, more));
  Acquisition out;
  out.values = [s, r](const Rows& at) {
    const Marginals m = s->process.predict(at, Of::f, 1);
    const Matrix cov = s->slopes.covariance(r->points, r->weights, at);
    Vector v(at.rows());
    for (Index i = 0; i < v.size(); ++i) {
      const Lines l = lines_of(*r, s->sign * m.mean[i], m.variance[i], cov.col(i));
      const double gain = gain_of(*r, l, select::knowledge_gain(l.a, l.b).value);
      v[i] = std::log(std::max(gain, least_gain));
    }
    return v;
  };
  // d gain = largest_x d mean(x) + sum_t slope_t d b_t,  b_t = c_t/u,  u = sqrt(var + noise):
  // d b_t = d c_t/u - b_t d var/(2 u^2), and for x itself c_x = var
  out.slopes = [s, r](const Rows& x) -> std::pair<double, Vector> {
    const PosteriorSlopes::Point p = s->slopes.point(x);
    const Vector cov = s->slopes.covariance(r->points, r->weights, x).col(0);
    const Lines l = lines_of(*r, s->sign * p.mean, p.variance, cov);
    const select::KnowledgeGain k = select::knowledge_gain(l.a, l.b);
    const double value = gain_of(*r, l, k.value), u = l.sd;
    if (!(value > least_gain)) return {std::log(least_gain), Vector::Zero(x.cols())};
    const Index n = r->mean.size();
    const Vector of_cov = s->slopes.covariance_slopes(r->points, r->weights, x, Vector(k.slopes.head(n))) / u;
    const Vector all = k.largest[n] * s->sign * p.mean_slopes + of_cov +
                       (k.slopes[n] / u - k.slopes.dot(l.b) / (2 * u * u)) * p.variance_slopes;
    return {std::log(value), all / value};
  };
  out.score = [](double v) { return std::exp(v); };
  out.reason = [s, r](const Rows&, double v) {
    return fmt::format("takes the best mean from {:.4g} to {:.4g} on average", s->sign * r->now,
                       s->sign * (r->now + std::exp(v)));
  };
  return out;
}

const std::vector<std::string> in_domains{"expected-improvement", "probability-of-improvement",
                                          "upper-confidence",     "thompson",
                                          "knowledge-gradient",   "uncertainty"};

}  // namespace

void check_acquisition(const NamedStrategy& strategy) {
  if (std::count(in_domains.begin(), in_domains.end(), strategy.entry->name)) return;
  throw Error(Problem::usage, fmt::format("strategy {} needs a table of candidates; in a domain there are {}",
                                          strategy.entry->name, fmt::join(in_domains, ", ")));
}

Acquisition acquisition(const NamedStrategy& strategy, const Process<Row>& process,
                        const AcquisitionOptions& options) {
  check_acquisition(strategy);
  const std::string& name = strategy.entry->name;
  const auto s = std::make_shared<const Surface>(process, options.minimize);
  if (name == "expected-improvement") return expected_improvement_over(s);
  if (name == "probability-of-improvement")
    return probability_over(s, select::not_negative(strategy.arguments, "margin", 0.01));
  if (name == "upper-confidence")
    return confidence_over(s, select::not_negative(strategy.arguments, "beta", 4));
  if (name == "thompson") return thompson_over(s, options.seed);
  if (name == "knowledge-gradient") return knowledge_gradient_over(s, options.reference);
  return uncertainty_over(s);
}

}  // namespace covary::internal
