#include "covary/linear/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algebra/normal_equations.h"
#include "algebra/refined_least_squares.h"
#include "covary/base/error.h"
#include "covary/base/parallel.h"
#include "covary/base/runtime.h"
#include "linear/function_space.h"
#include "linear/weight_posterior.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index wide_from = 200;  // columns from which the normal equations are tried
constexpr Index refinable = 1e6;  // entries of Phi up to which least squares are refined
constexpr double trusted = 1e-6;  // reciprocal condition of normal equations

/// More weights with a prior than rows, and few enough others: then function space is cheaper.
bool fewer_rows(const WeightPrior& prior, Index rows) {
  return std::ssize(prior.proper_weights()) > rows && std::ssize(prior.flat_weights()) < rows;
}

}  // namespace

Triangle as_rows(const WeightPrior& prior, const NoisePrior& noise) {
  const double unit = noise.is_known() ? std::sqrt(noise.variance) : 1;
  Triangle t(prior.size());
  if (prior.factor.size() == 0) {
    t.r.diagonal() = unit * prior.sd.cwiseInverse();
    t.z = t.r * prior.mean;
    return t;
  }
  const Matrix root = prior.factor.triangularView<Eigen::Lower>().solve(
      Matrix(unit * Matrix::Identity(prior.size(), prior.size())));
  t = t.with(root, root * prior.mean);
  t.rest = 0;
  return t;
}

Weights::Weights(const WeightPrior& prior, NoisePrior noise, Undetermined undetermined)
    : prior_(prior),
      noise_(noise),
      undetermined_(undetermined),
      rest_(2 * noise.rate),
      counted_(2 * noise.shape),
      answer_(std::make_shared<Answer>()) {}

Weights Weights::condition(const Rows& phi, const Vector& y, const ConditionOptions& options) const {
  check_sizes(phi.rows(), y.size());
  check_finite(phi, "phi");
  Weights out = condition(row_blocks(phi), y, options);
  if (rows_ == 0 && options.forget == 1 && prior_.proper_weights().empty() && phi.size() <= refinable)
    out.refine(phi, y);
  return out;
}

Weights Weights::condition(const RowBlocks& phi, const Vector& y, const ConditionOptions& o) const {
  check_sizes(phi.rows, y.size());
  check_finite(y, "y");
  if (phi.columns != size())
    throw Error(Problem::usage, fmt::format("expected {} features, found {}", size(), phi.columns));
  if (!(o.forget > 0 && o.forget <= 1))
    throw Error(Problem::usage,
                fmt::format("forget: expected more than 0 and at most 1, found {}", o.forget));
  if (dual_)  // the rows so far again, on the side where more may follow
    return Weights(prior_, noise_, undetermined_)
        .condition(dual_->phi(), dual_->y(), {.side = Side::weights, .threads = o.threads})
        .condition(phi, y, o);
  if (o.side == Side::functions && (rows_ > 0 || o.forget < 1))
    throw Error(Problem::usage,
                "function space takes all rows at once: use weight space for rows that come later");
  if (o.forget < 1) return forgetting(phi.at({0, phi.rows}), y, o.forget);
  const bool first = rows_ == 0 && o.by == ConditionOptions::By::automatic;
  if (o.side == Side::functions || (o.side == Side::automatic && first && fewer_rows(prior_, y.size())))
    return with_functions(phi.at({0, phi.rows}), y, threads_or_all(o.threads));
  return with_weights(phi, y, o);
}

Weights Weights::taken(Index rows) const {
  Weights out = *this;
  out.answer_ = std::make_shared<Answer>();
  out.rows_ += double(rows);
  out.counted_ += double(rows);
  return out;
}

Weights Weights::with_functions(const Rows& phi, const Vector& y, int threads) const {
  const std::vector<Index> flat = prior_.flat_weights();
  if (std::ssize(flat) >= y.size() || !full_rank(phi(Eigen::all, flat)))
    throw Error(Problem::usage,
                fmt::format("function space needs rows that determine the {} weights without a "
                            "prior: use weight space",
                            flat.size()));
  Weights out = taken(y.size());
  const double unit = noise_.is_known() ? 1 / std::sqrt(noise_.variance) : 1;
  auto dual = std::make_shared<Dual>(prior_, unit, phi, y, threads);
  out.rest_ += dual->rest();
  out.dual_ = std::move(dual);
  out.how_ = "reflections";
  return out;
}

Weights Weights::with_weights(const RowBlocks& phi, const Vector& y, const ConditionOptions& o) const {
  check_memory(24 * double(size()) * double(size()), fmt::format("the covariance of {} weights", size()));
  Weights out = taken(y.size());
  if (rows_ == 0) out.place_shift(phi.at({0, std::min<Index>(phi.rows, 256)}));
  const RowBlocks rows = out.shifted(phi);
  using By = ConditionOptions::By;
  const bool few = 4 * y.size() <= size();
  Triangle start = rows_so_far();
  start.rest = rest_;
  const auto keep = [&out](Triangle t, std::string how) {
    out.rest_ = t.rest;
    out.triangle_ = std::make_shared<const Triangle>(std::move(t));
    out.how_ = std::move(how);
    return out;
  };
  if (o.by == By::normal_equations || (o.by == By::automatic && size() >= wide_from && !few)) {
    const double least = o.by == By::automatic ? trusted : 0;
    if (auto n = normal_equations(rows, y, start, least, threads_or_all(o.threads)))
      return keep(std::move(n->triangle),
                  fmt::format("normal equations, reciprocal condition {:.1e}", n->reciprocal_condition));
    if (o.by == By::normal_equations)
      throw Error(Problem::numerical, "the normal equations are singular: take reflections");
  }
  if (few) return keep(start.with(rows.at({0, phi.rows}), y), "rotations");
  return keep(covary::triangle(rows, y, start, o.threads), "reflections");
}

Weights Weights::forgetting(const Rows& phi, const Vector& y, double factor) const {
  Weights out = taken(0);
  if (rows_ == 0) out.place_shift(phi.topRows(1));
  Triangle t = rows_so_far();
  t.rest = rest_;
  for (Index i = 0; i < y.size(); ++i) {
    t = t.scaled(std::sqrt(factor)).with(out.shifted(phi.row(i)), y.segment(i, 1));
    out.rows_ = factor * out.rows_ + 1;
    out.counted_ = factor * out.counted_ + 1;
  }
  out.rest_ = t.rest;
  out.triangle_ = std::make_shared<const Triangle>(std::move(t));
  out.how_ = "rotations, forgetting";
  out.forgot_ = true;
  return out;
}

void Weights::place_shift(const Matrix& first_rows) {
  for (const Index j : prior_.flat_weights()) {
    const double value = first_rows(0, j);
    if (value == 0 || (first_rows.col(j).array() != value).any()) continue;
    level_ = j;
    shift_ = first_rows.colwise().mean() / value;
    shift_[j] = 0;
    return;
  }
}

Matrix Weights::shifted(const Rows& phi) const {
  return level_ < 0 ? Matrix(phi) : Matrix(phi - phi.col(level_) * shift_.transpose());
}

RowBlocks Weights::shifted(const RowBlocks& phi) const {
  if (level_ < 0) return phi;
  return {phi.rows, phi.columns, [phi, level = level_, shift = shift_](Range r) -> Matrix {
            Matrix rows = phi.at(r);
            rows -= (rows.col(level) * shift.transpose()).eval();
            return rows;
          }};
}

/// A triangle of shifted features as one, no longer triangular, of the features themselves.
Matrix Weights::unshifted(const Matrix& r) const {
  return level_ < 0 ? r : Matrix(r + r.col(level_) * shift_.transpose());
}

Triangle Weights::rows_so_far() const { return triangle_ ? *triangle_ : as_rows(prior_, noise_); }

void Weights::refine(const Rows& phi, const Vector& y) {
  if (rank() < size()) return;
  LeastSquares fine = refined_least_squares(phi, y);
  answer_->mean = std::move(fine.w);
  rest_ = 2 * noise_.rate + fine.rest;
  how_ += ", refined";
}

Weights least_squares(const Rows& phi, const Vector& y, Undetermined undetermined) {
  return Weights(WeightPrior::flat(phi.cols()), NoisePrior::unknown(), undetermined).condition(phi, y);
}

}  // namespace covary
