#include "covary/evaluate/approximation.h"

#include <algorithm>
#include <cmath>

#include "covary/learn/auto_inference.h"
#include "model/refit.h"

namespace covary {
using namespace internal;
namespace {

FittedModel exactly(const FittedModel& model) {
  ModelRecord m = model.record();
  m.request.inference = Exact().text();
  m.variables.resize(0);
  return FittedModel(std::move(m));
}

}  // namespace

std::optional<ApproximationError> internal::compared_with_exact(const FittedModel& model,
                                                                const ApproximationOptions& o) {
  if (model->weights || !model.process(o.threads).report().approximate) return {};
  const Index n = model->y.size(), given = std::min(o.given, (2 * n + 2) / 3),
              tested = std::min(o.tested, n - given);
  const auto [train, test] = divided(Random(o.seed).subset(n, given + tested), tested, o.seed);
  const Process<Row> approximate = conditioned(model, train, o.threads).process(o.threads),
                     exact = conditioned(exactly(model), train, o.threads).process(o.threads);
  ApproximationError e{model->request.inference, std::ssize(train), std::ssize(test)};
  e.log_density = approximate.log_evidence() / double(e.given);
  e.exact_log_density = exact.log_evidence() / double(e.given);
  if (e.tested == 0) return e;
  const Matrix at = pick(model->x, test);
  const Marginals a = approximate.predict(at, Of::f, o.threads), b = exact.predict(at, Of::f, o.threads);
  const Vector off = (a.mean - b.mean).cwiseQuotient(b.sd()).cwiseAbs();
  const Vector log_ratio = a.sd().array().log() - b.sd().array().log();
  e.mean_difference = std::sqrt(off.squaredNorm() / double(e.tested)),
  e.largest_mean_difference = off.maxCoeff();
  e.sd_ratio = std::exp(log_ratio.mean());
  e.least_sd_ratio = std::exp(log_ratio.minCoeff()), e.largest_sd_ratio = std::exp(log_ratio.maxCoeff());
  return e;
}

}  // namespace covary
