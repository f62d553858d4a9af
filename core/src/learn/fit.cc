#include "covary/learn/fit.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "covary/base/finite.h"
#include "covary/base/runtime.h"
#include "covary/learn/ignored_columns.h"
#include "covary/learn/summary_words.h"
#include "covary/predictive/score.h"

namespace covary {
using namespace internal;

void internal::check_trainable(Index n, Index d) {
  if (d == 0) throw Error(Problem::data, "no input columns: at least one is needed");
  if (n == 0) throw Error(Problem::data, "no observations: at least one row is needed");
}

Scales internal::scales_of(const Vector& y, const Matrix& basis) {
  Scales s;
  const double most = y.cwiseAbs().maxCoeff();
  if (most > 1e100 || (most < 1e-100 && most > 0)) s.target = std::exp2(std::floor(std::log2(most)));
  const Vector scaled = y / s.target;
  Vector residual = scaled;
  if (basis.cols()) residual -= basis * Eigen::ColPivHouseholderQR<Matrix>(basis).solve(scaled);
  const double size = scaled.cwiseAbs().maxCoeff();
  s.constant = residual.cwiseAbs().maxCoeff() <= 1e-13 * size;
  s.variance = residual.squaredNorm() / double(y.size());
  if (s.constant || s.variance == 0) s.variance = size > 0 ? size * size : 1, s.constant = true;
  return s;
}

void internal::check_inference_fits(const std::string& inference, Index distinct, double bytes) {
  const bool dense = inference == Exact().text();
  check_memory(bytes, dense ? fmt::format("the covariance of {} distinct rows", distinct)
                            : fmt::format("{} of {} distinct rows", inference, distinct));
}

Noise internal::usable_noise(const Noise& of_y, double scale, const std::vector<Index>& alike,
                             const Vector& y, std::vector<std::string>& notes) {
  Noise noise = of_y.rescaled(scale);
  if (noise.is_given()) finite(noise.variance, "the noise variance in units of y");
  if (!noise.is_exact()) return noise;
  return Noise::of(noise_of_repeats(alike, y, notes));
}

void internal::tell_phase(const FitOptions& options, const Summary& s, const std::string& phase, Index rows) {
  constexpr Index many = 10000;
  if (rows < many || !options.progress) return;
  const double best = s.basins.empty() ? 0 : s.basins.front().objective;
  if (!options.progress({phase, s.evaluations, best, s.seconds, 1}))
    throw Error(Problem::interrupted, "learning was canceled");
}

double internal::signal_variance(double of_y, const Noise& noise) {
  if (noise.is_learned()) return of_y;
  return std::max(of_y, noise.per_row() ? noise.sd.array().square().mean() : noise.variance);
}

std::string internal::isolation_note(const Gram& gram) {
  const Index n = std::min<Index>(gram.size, 200);
  if (n < 2) return "";
  const Matrix k = gram.block({0, n}, {0, n});
  double most = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) most = std::max(most, std::abs(k(i, j)) / std::sqrt(k(i, i) * k(j, j)));
  if (most > 0.01) return "";
  return fmt::format(
      "the points are nearly uncorrelated under this kernel (largest correlation among {} points: {:.2g}): "
      "predictions away from "
      "the data are the prior's",
      n, most);
}

/// True if leave-one-out predictions are no better than the mean, or hardly better while the evidence gains
/// less over a constant and noise than so many parameters gain from noise by chance (about one nat each).
static bool looks_like_noise(const Summary& s, double variance, double scale, Index parameters) {
  const double n = double(s.n), alone = -0.5 * n * (std::log(2 * std::numbers::pi * variance) + 1);
  const double gain = s.log_marginal_likelihood + n * std::log(scale) - alone;
  return s.loo_skill < 0.02 || (s.loo_skill < 0.4 && gain < 1.5 * double(parameters - 1));
}

void internal::check_finite(const Summary& s) {
  finite(s.log_marginal_likelihood, "the log marginal likelihood");
  if (std::isnan(s.loo_rmse)) return;
  finite(s.loo_rmse, "the leave-one-out error");
  finite(s.loo_nlpd, "the leave-one-out log density");
  finite(s.loo_skill, "the leave-one-out skill");
}

void internal::finish(Summary& s, const Vector& y, const Scales& scales, const LeaveOneOut& loo,
                      const Conditioning& c, Index parameters) {
  s.n = y.size();
  s.machine = machine().text();
  s.jitter = c.jitter;
  s.reciprocal_condition = c.reciprocal_condition;
  const double variance = (y.array() - y.mean()).square().mean();
  s.loo_rmse = loo.rmse * scales.target;
  s.loo_nlpd = loo.nlpd + std::log(scales.target);
  s.loo_skill = skill(loo.rmse, y);
  if (const Index undefined = loo.mean.array().isNaN().count(); undefined > 0)
    s.notes.push_back(fmt::format(
        "leave-one-out is undefined for {} of {} rows: without any one of them the trend's coefficients are "
        "not determined",
        undefined, s.n));
  check_finite(s);
  if (scales.constant)
    s.notes.push_back(
        "the target is constant, or the trend explains it exactly: the hyper-parameters were not fitted; "
        "defaults are used");
  else if (s.n > 10 && looks_like_noise(s, variance, scales.target, parameters))
    s.notes.push_back(fmt::format(
        "no structure found: a constant and noise explain the data as well (leave-one-out skill {:.3f})",
        s.loo_skill));
  if (s.n <= 3)
    s.notes.push_back(fmt::format("only {} row{}: the prior decides", s.n, s.n == 1 ? "" : "s"));
  else if (parameters > s.distinct)
    s.notes.push_back(
        fmt::format("{} parameters were learned from {} distinct rows: the prior decides most of them",
                    parameters, s.distinct));
  if (scales.target != 1)
    s.notes.push_back(fmt::format("y was divided by {} before learning; variances are in units of its square",
                                  scales.target));
}

/// The weights and what they cost to have, one to a line.
static std::string weights_text(const Summary& s) {
  constexpr size_t most = 40;
  std::string t = fmt::format("model   {} regression on {}\nnoise   {}\n", s.model, rounded_text(s.basis),
                              noise_words(s));
  for (const FittedParameter& p : s.parameters)
    t += fmt::format("{}  {}{}\n", p.name, rounded_or(p.value, "not known"), p.fixed ? " (given)" : "");
  for (size_t i = 0; i < std::min(most, s.coefficients.size()); ++i)
    t += fmt::format("weight  {}: {} \u00b1 {}\n", s.coefficients[i].name, rounded(s.coefficients[i].value),
                     rounded_or(s.coefficients[i].sd, "not determined"));
  if (s.coefficients.size() > most) t += fmt::format("... and {} more\n", s.coefficients.size() - most);
  return t;
}

static std::string process_text(const Summary& s) {
  return fmt::format("kernel  {}\nmean    {}\nnoise   {}\n", rounded_text(s.kernel), rounded_text(s.mean),
                     noise_words(s)) +
         (s.how.empty() ? "" : "ridge   " + s.how + "\n") +
         (s.inference == "exact()" ? "" : "inference " + s.inference + "\n");
}

std::string Summary::text() const {
  const bool weights = !basis.empty();
  std::string t = weights ? weights_text(*this) : process_text(*this);
  t += fmt::format("log marginal likelihood {}\nleave-one-out {}\n", evidence_words(*this),
                   left_out_words(*this));
  t += weights ? how
               : fmt::format("{} rows, {} evaluations{}; {}", n, evaluations,
                             seconds > 0 ? fmt::format(" in {:.2f} s", seconds) : "", stopped);
  for (const std::string& note : notes) t += "\nnote: " + note;
  return t;
}

template FitResult<Row> fit<Row>(const Model<Row>&, Batch<Row>, const Vector&, const FitOptions&);

}  // namespace covary
