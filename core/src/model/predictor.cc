#include "covary/model/predictor.h"

#include "covary/base/error.h"
#include "covary/kernels/function.h"
#include "covary/kernels/mercer.h"

namespace covary {
namespace {

/// No data has shown yet whether a function's covariances are any.
void check_prior(const Process<Row>* p, const Rows& at, int threads) {
  if (!p || p->size() > 0 || at.rows() == 0 || functions_in(p->kernel()).empty()) return;
  require_mercer(kernel_matrix(gram<Row>(p->kernel(), at), threads), p->kernel().text(), threads);
}

/// f where it was observed is known no better than the noise lets it, even where the covariances are so large
/// that rounding swallows the noise.
void keep_noise(Marginals& m, const Process<Row>& p) {
  if (m.clamped == 0 || p.size() == 0) return;
  const Vector noise = p.noise_variances();
  if (noise.minCoeff() > 0) m.variance = (m.variance.array() == 0).select(noise.maxCoeff(), m.variance);
}

}  // namespace

Prediction Predictor::predict(const Rows& at, Of of, int threads) const {
  if (const Process<Row>* p = process()) {
    Marginals m = p->predict(at, of, threads);
    keep_noise(m, *p);
    return untransformed({m.mean * scale_, m.sd() * scale_, m.clamped}, transform_);
  }
  Prediction out = regression()->predict(at, of, threads);
  out.mean *= scale_, out.sd *= scale_;
  return untransformed(std::move(out), transform_);
}

Vector Predictor::mean(const Rows& at, int threads) const {
  if (!transform_.is_identity()) return predict(at, Of::f, threads).mean;
  if (const Process<Row>* p = process()) return p->mean(at, threads) * scale_;
  return regression()->predict(at, Of::f, threads).mean * scale_;
}

Gaussian Predictor::joint(const Rows& at, Of of, int threads) const {
  if (!transform_.is_identity())
    throw Error(Problem::usage, "the model is of " + transform_.of("y") +
                                    ": y is not jointly normal, samples take the place of its covariance");
  check_prior(process(), at, threads);
  Gaussian g = process() ? process()->joint(at, of, threads) : regression()->joint(at, of);
  if (scale_ == 1) return g;
  Matrix covariance = g.covariance() * scale_;  // one after the other: the square may be too large
  covariance *= scale_;
  if (!covariance.allFinite())
    throw Error(Problem::numerical,
                "the covariance of the predictions is too large for a number: rescale the target");
  return {g.mean() * scale_, std::move(covariance)};
}

Matrix Predictor::sample(const Rows& at, Index draws, std::uint64_t seed, Of of) const {
  check_prior(process(), at, 0);
  const Matrix z =
      process() ? process()->sample(at, draws, seed, of) : regression()->sample(at, draws, seed, of);
  return transform_.inverse(Matrix(scale_ * z));
}

Prediction Predictor::leave_one_out(const Rows& x, const Vector& y, int threads) const {
  const LeaveOneOut l = process() ? process()->leave_one_out(threads)
                                  : regression()->leave_one_out(x, transform_(y) / scale_, threads);
  return untransformed({l.mean * scale_, l.variance.cwiseSqrt() * scale_, 0, l.freedom}, transform_);
}

double Predictor::freedom() const {
  return process() ? std::numeric_limits<double>::infinity() : regression()->freedom();
}

std::vector<std::string> Predictor::notes() const {
  return process() ? process()->notes() : std::vector<std::string>{};
}

std::vector<Coefficient> trend_coefficients(const Predictor& p) {
  std::vector<Coefficient> out;
  if (!p.process()) return out;
  const Vector value = p.process()->coefficients();
  const Matrix covariance = p.process()->coefficient_covariance();
  for (Index i = 0; i < value.size(); ++i)
    out.push_back({p.process()->trend().terms[static_cast<size_t>(i)], p.scale() * value[i],
                   p.scale() * std::sqrt(covariance(i, i))});
  return out;
}

}  // namespace covary
