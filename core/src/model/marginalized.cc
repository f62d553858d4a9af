#include "covary/model/marginalized.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "base/constants.h"
#include "covary/base/parallel.h"
#include "covary/learn/parameter_draws.h"
#include "covary/predictive/mixture.h"

namespace covary {
using namespace internal;
namespace {

constexpr double unknown_sd = 3;  // of a log parameter without a prior

const Process<Row>& marginalizable(const FittedModel& m, const MarginalizeOptions& o) {
  if (o.draws < 2)
    throw Error(Problem::usage, fmt::format("draws: expected 2 or more to average over, found {}", o.draws));
  const Process<Row>& p = gaussian_process(m, "marginalizing over hyper-parameters", o.threads);
  if (without_device(m->request.inference) != Exact().text())
    throw Error(
        Problem::usage,
        fmt::format("marginalizing over hyper-parameters needs exact inference, the model has {}: with so "
                    "many rows the hyper-parameters are hardly uncertain",
                    m->request.inference));
  if (m->y.size() == 0)
    throw Error(Problem::usage, "marginalizing over hyper-parameters needs rows: this model is a prior");
  return p;
}

/// log p(y | theta) p(theta) of a fitted model, and its gradient.
class LogPosterior {
 public:
  LogPosterior(const FittedModel& m, const Process<Row>& p, int threads)
      : noise_(noise_of(m, p)),
        best_(concat(p.kernel().theta(), noise_.theta())),
        evidence_(p.kernel(), p.trend(), noise_, Rows(m->x), m->latent_target()),
        threads_(threads) {
    check_drawable(best_.size());
    const Rows x(m->x);
    const Vector y = m->latent_target();
    const double variance =
        scales_of(y - p.trend().known_at(x), p.trend().centered_on(x).basis_at(x)).variance;
    FitOptions o;
    o.prior = m->request.prior, o.columns = m->features;
    parameters_ = search_parameters(
        p.kernel().parameters(), p.kernel().theta(), p.kernel().start(x, signal_variance(variance, noise_)),
        input_scales(x, y, p.kernel().parameters()), x.cols(), noise_, variance, o);
  }

  const Vector& best() const { return best_; }
  Evaluation at(const Vector& theta, bool gradient) {
    for (Index i = 0; i < theta.size(); ++i) {
      const SearchParameter& s = parameters_[static_cast<size_t>(i)];
      if (theta[i] < s.lower || theta[i] > s.upper) return {};
    }
    Evaluation e = evidence_.at(theta, gradient, threads_);
    Vector slope;
    e.value += log_prior(parameters_, theta, gradient ? &slope : nullptr);
    const bool sloped = gradient && e.gradient.size() == theta.size();
    if (sloped) e.gradient += slope;
    for (Index i = 0; i < theta.size(); ++i) {
      if (parameters_[static_cast<size_t>(i)].prior_sd > 0) continue;
      const double z = (theta[i] - best_[i]) / unknown_sd;
      e.value -= 0.5 * z * z;
      if (sloped) e.gradient[i] -= z / unknown_sd;
    }
    if (std::isnan(e.value)) e.value = -infinity;
    return e;
  }
  /// What is known of theta beforehand, as log_prior has it.
  NormalPrior normal() const {
    NormalPrior out{best_, Vector::Constant(best_.size(), unknown_sd)};
    for (Index i = 0; i < best_.size(); ++i)
      if (const SearchParameter& s = parameters_[static_cast<size_t>(i)]; s.prior_sd > 0)
        out.mean[i] = s.prior_mean - s.prior_sd * s.prior_sd, out.sd[i] = s.prior_sd;
    return out;
  }
  /// The prior of y / scale with these parameters.
  Process<Row> prior(const Process<Row>& of, const Vector& theta) const {
    const Index p = of.kernel().theta().size();
    return Process<Row>(of.kernel().with(theta.head(p)), of.trend(),
                        noise_.with(theta.tail(theta.size() - p)).known());
  }

 private:
  static Noise noise_of(const FittedModel& m, const Process<Row>& p) {
    const Noise& n = p.noise();
    const bool learned = n.is_given() && n.variance > 0 && m->request.noise == "learn";
    return learned ? Noise::learn(n.variance) : n;
  }
  Noise noise_;
  Vector best_;
  Evidence<Row> evidence_;
  int threads_;
  std::vector<SearchParameter> parameters_;
};

/// How often each of the proposals is drawn, `draws` in all: systematic resampling, each w_s draws rounded up or down.
std::vector<Index> resampled(const Vector& weights, Index draws) {
  std::vector<Index> times(static_cast<size_t>(weights.size()), 0);
  double sum = 0;
  Index done = 0;
  for (Index s = 0; s < weights.size(); ++s) {
    sum += weights[s] * double(draws);
    while (done < draws && double(done) + 0.5 < sum) ++times[static_cast<size_t>(s)], ++done;
  }
  return times;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Prediction mixed(const MarginalizedModel& m, const std::function<Prediction(const FittedModel&)>& of) {
  std::vector<Prediction> parts;
  for (const FittedModel& each : m.models()) parts.push_back(of(each));
  return mixture_of(std::move(parts), m.weights());
}

}  // namespace

MarginalizedModel::MarginalizedModel(const FittedModel& model, const MarginalizeOptions& o) {
  const Process<Row>& process = marginalizable(model, o);
  const Index n = model->y.size(), proposals = o.draws * (n <= 200 ? 16 : 4);
  LogPosterior posterior(model, process, threads_or_all(o.threads));
  const auto begin = std::chrono::steady_clock::now();
  (void)posterior.at(posterior.best(), false);
  const double gradients = 3 * (2 * double(posterior.best().size()) + 1), conditions = 1.5 * double(o.draws);
  if (o.expected) o.expected(seconds_since(begin) * (gradients + double(proposals) + conditions));
  const auto tell = [&](double share) {
    if (o.progress) o.progress(share);
  };
  const double share_of_proposals = double(proposals) / (double(proposals) + conditions);

  const Vector mode =
      posterior_mode([&](const Vector& t) { return posterior.at(t, true); }, posterior.best());
  const ImportanceDraws drawn =
      importance_draws([&](const Vector& t) { return posterior.at(t, true).gradient; }, mode,
                       posterior.normal(), proposals, o.seed);
  Vector log_weights(proposals);
  for (Index i = 0; i < proposals; ++i) {
    log_weights[i] = posterior.at(drawn.theta.col(i), false).value - drawn.log_proposal[i];
    tell(share_of_proposals * double(i + 1) / double(proposals));
  }
  const Vector weights = normalized_weights(log_weights);
  efficiency_ = 1 / (weights.squaredNorm() * double(proposals));

  const std::vector<Index> times = resampled(weights, o.draws);
  std::vector<double> shares;
  for (Index i = 0; i < proposals; ++i) {
    const Index repeats = times[static_cast<size_t>(i)];
    if (repeats == 0) continue;
    const Process<Row> prior = posterior.prior(process, drawn.theta.col(i));
    ModelRecord record = model.record();
    record.kernel = prior.kernel().text(), record.noise = prior.noise();
    models_.emplace_back(std::move(record),
                         prior.condition(Rows(model->x), model->latent_target(), o.threads));
    shares.push_back(double(repeats) / double(o.draws));
    tell(share_of_proposals + (1 - share_of_proposals) * double(i + 1) / double(proposals));
  }
  weights_ = Eigen::Map<const Vector>(shares.data(), std::ssize(shares));
}

Prediction MarginalizedModel::predict(const Rows& at, Of of, int threads) const {
  return mixed(*this, [&](const FittedModel& m) { return m.predict(at, of, threads); });
}

Prediction MarginalizedModel::predict(const Rows& at, const Noise& noise, int threads) const {
  return mixed(*this, [&](const FittedModel& m) { return m.predict(at, noise, threads); });
}

Prediction internal::held_out(const MarginalizedModel& model, const Rows& x, const Vector& noise_sd,
                              int threads) {
  const FittedModel& first = model.models().front();
  if (!first->noise.per_row()) return model.predict(x, Of::y, threads);
  if (noise_sd.size() != x.rows())
    throw Error(Problem::usage, "the model has one noise for each row: new rows need theirs to be scored");
  return model.predict(x, Noise::rows(noise_sd), threads);
}

}  // namespace covary
