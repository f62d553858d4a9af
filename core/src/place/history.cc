#include "covary/place/history.h"

#include <fmt/format.h>

#include <cmath>

#include "algebra/blas.h"
#include "covary/base/error.h"
#include "covary/base/parallel.h"

namespace covary {
using namespace internal;
namespace {

std::string name(const std::vector<std::string>& names, Index i) {
  return names.empty() ? fmt::format("place {}", i + 1) : fmt::format("'{}'", names[static_cast<size_t>(i)]);
}

/// Readings with 0 where they are missing, around `mean`, and 1 where they are not.
struct Masked {
  Matrix values, present;  // T x n
  Vector mean;             // n
};

Masked masked(const Rows& readings, const std::vector<std::string>& names) {
  Masked m{readings, Matrix::Ones(readings.rows(), readings.cols()), Vector(readings.cols())};
  for (Index i = 0; i < readings.cols(); ++i) {
    double sum = 0;
    Index count = 0;
    for (Index t = 0; t < readings.rows(); ++t) {
      if (std::isinf(readings(t, i)))
        throw Error(Problem::data, fmt::format("reading {} of {} is not finite", t + 1, name(names, i)));
      if (std::isnan(readings(t, i)))
        m.present(t, i) = 0;
      else
        sum += readings(t, i), ++count;
    }
    if (count < 2)
      throw Error(
          Problem::data,
          fmt::format("{} has {} of {} times: at least 2 are needed to know how it varies; leave "
                      "the place out or give more times",
                      name(names, i), count == 0 ? "no reading at any" : "1 reading", readings.rows()));
    m.mean[i] = sum / double(count);
    for (Index t = 0; t < readings.rows(); ++t)
      m.values(t, i) = m.present(t, i) == 0 ? 0 : readings(t, i) - m.mean[i];
  }
  return m;
}

Matrix products(const Matrix& a, const Matrix& b) {
  Matrix out(a.cols(), b.cols());
  blas::multiply_transposed(1, a, b, 0, out, 1);
  return out;
}

/// Of the times that two places share, with their means there.
Matrix pairwise(const Masked& m, const std::vector<std::string>& names) {
  const Matrix shared = products(m.present, m.present), sums = products(m.values, m.present);
  Matrix s = products(m.values, m.values);
  for (Index j = 0; j < s.cols(); ++j)
    for (Index i = 0; i < s.rows(); ++i) {
      if (shared(i, j) < 2)
        throw Error(Problem::data,
                    fmt::format("{} and {} were read together {}: at least 2 times are needed to know how "
                                "they vary together; leave one of them out, or give a longer history",
                                name(names, i), name(names, j), shared(i, j) == 0 ? "never" : "once"));
      s(i, j) = (s(i, j) - sums(i, j) * sums(j, i) / shared(i, j)) / (shared(i, j) - 1);
    }
  return 0.5 * (s + s.transpose());
}

/// Eigenvalues below 0 become 0; false if none was.
bool clip(Matrix& s) {
  Matrix v = s;
  const Vector values = blas::eigenvectors(v, 1);
  if (values[0] >= -1e-12 * values[values.size() - 1]) return false;
  s = v * values.cwiseMax(0).asDiagonal() * v.transpose();
  s = 0.5 * (s + s.transpose()).eval();
  return true;
}

std::string clip_note(const Matrix& before, const Matrix& after) {
  const double change = (after - before).cwiseAbs().maxCoeff();
  return fmt::format(
      "covariances from different times were not positive semi-definite: negative eigenvalues were set to 0, "
      "which changed entries by up to {:.3g} ({:.2g} % of the mean variance)",
      change, 100 * change / before.diagonal().mean());
}

void check_shrinkage(const HistoryOptions& o, Index n) {
  if (o.shrinkage < 0 || o.shrinkage > 1)
    throw Error(Problem::usage, fmt::format("shrinkage: expected 0 to 1, found {}", o.shrinkage));
  if (!(o.nugget >= 0))
    throw Error(Problem::usage, fmt::format("nugget: expected 0 or more, found {}", o.nugget));
  if (o.target.size() > 0 && (o.target.rows() != n || o.target.cols() != n))
    throw Error(Problem::usage, fmt::format("target: expected {0} x {0} for {0} places, found {1} x {2}", n,
                                            o.target.rows(), o.target.cols()));
}

void check_regular(const HistoryCovariance& h, const HistoryOptions& o) {
  if (!h.singular || h.shrinkage > 0 || o.nugget > 0 || o.may_be_singular) return;
  const std::string why =
      h.times <= h.mean.size()
          ? fmt::format("{} times are too few for the covariances of {} places", h.times, h.mean.size())
          : std::string("the covariances of places with gaps are singular");
  throw Error(Problem::data,
              why +
                  ": some places would seem to be known exactly from others; give a shrinkage above 0, a "
                  "nugget, or more times");
}

}  // namespace

std::vector<Index> internal::places_with_history(const Rows& readings) {
  const Matrix present = readings.array().isFinite().cast<double>();
  const Matrix shared = products(present, present);  // n x n: times that two places share
  std::vector<Index> kept;
  for (Index i = 0; i < readings.cols(); ++i)
    if (shared(i, i) >= 2) kept.push_back(i);
  while (!kept.empty()) {
    const Vector lacking = (shared(kept, kept).array() < 2).cast<double>().rowwise().sum();
    Index worst = lacking.size() - 1;
    for (Index i = worst; i >= 0; --i)
      if (lacking[i] > lacking[worst]) worst = i;
    if (lacking[worst] == 0) break;
    kept.erase(kept.begin() + worst);
  }
  return kept;
}

HistoryCovariance internal::sample_covariance(const Rows& readings, const std::vector<std::string>& names) {
  const Index times = readings.rows(), n = readings.cols();
  if (n == 0) throw Error(Problem::data, "the history has no places");
  if (times < 2)
    throw Error(Problem::data,
                fmt::format("the history has {}: at least 2 are needed", times == 0 ? "no times" : "1 time"));
  const Masked m = masked(readings, names);
  HistoryCovariance out;
  out.mean = m.mean, out.times = times, out.singular = times <= n;
  out.covariance = pairwise(m, names);
  const auto missing = double(m.present.size()) - m.present.sum();
  if (missing == 0) return out;
  out.notes.push_back(
      fmt::format("{:.0f} of {} readings are missing: each covariance is of the times that two places share",
                  missing, m.present.size()));
  const Matrix before = out.covariance;
  if (!clip(out.covariance)) return out;
  out.singular = true;
  out.notes.push_back(clip_note(before, out.covariance));
  return out;
}

HistoryCovariance from_history(const Rows& readings, const HistoryOptions& o) {
  check_shrinkage(o, readings.cols());
  HistoryCovariance out = sample_covariance(readings, o.names);
  out.shrinkage = o.shrinkage;
  if (std::isnan(o.shrinkage)) {
    const ChosenShrinkage c = choose_shrinkage(readings, o);
    out.shrinkage = c.shrinkage, out.tried = c.tried, out.scores = c.scores;
    out.notes.insert(out.notes.end(), c.notes.begin(), c.notes.end());
  }
  check_regular(out, o);
  const Matrix diagonal = out.covariance.diagonal().asDiagonal();
  out.covariance =
      (1 - out.shrinkage) * out.covariance + out.shrinkage * (o.target.size() > 0 ? o.target : diagonal);
  return out;
}

}  // namespace covary
