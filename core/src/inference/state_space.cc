#include "covary/inference/state_space.h"

#include <fmt/format.h>

#include <cmath>

#include "inference/state_space/state_solution.h"

namespace covary {
using namespace internal;
namespace {

constexpr const char* what_it_takes =
    "; it takes matern12, matern32, matern52, constant, linear and cosine of one column, their sums and "
    "products, and "
    "approximately se and periodic: use vecchia() or exact()";

/// The log density as a function of theta: O(n) with its gradient, by one pass forwards and one back.
class StateDensity final : public Objective {
 public:
  StateDensity(const StateSpace& how, const Process<Row>& prior, const Rows& x, const Vector& y) {
    const Noise& noise = prior.noise();
    Data d{how, prior.kernel(), x.cols(), noise.is_learned(), {}, {}};
    const StateModel model = state_model(d.kernel, x.cols(), how.order).model;
    const Vector variances = d.learn_noise ? Vector(Vector::Ones(y.size())) : noise.variances(y.size());
    d.state = sorted_by_time(x, model.column, first_alike_in_time(x, model.column),
                             y - prior.trend().known_at(x), variances);
    const Matrix distinct = pick(x, d.state.rows());
    const Matrix basis = prior.trend().centered_on(Rows(distinct)).basis_at(Rows(distinct));
    d.state.kept = independent_columns(basis);
    d.columns.resize(distinct.rows(), 1 + std::ssize(d.state.kept));
    d.columns << d.state.merged.y(d.state.order), basis(Eigen::all, d.state.kept);
    data_ = std::make_shared<const Data>(std::move(d));
  }

  Evaluation at(const Vector& theta, bool gradient = true, int threads = 1) override {
    const Data& d = *data_;
    const Index p = d.kernel.theta().size();
    const StateModel model = state_model(d.kernel.with(theta.head(p)), d.of, d.how.order).model;
    const StateSteps steps(model, d.state.times);
    const double variance = d.learn_noise ? std::exp(theta[p]) : 1;
    const Vector noise = variance * d.state.noise;
    const FilterResult found = filtered(steps, d.columns, noise, threads);
    const MergedRows& m = d.state.merged;
    const double within = d.learn_noise ? m.within / variance : 0,
                 value = found.sums.log_density() + (d.learn_noise ? m.constant_at(variance) : m.constant);
    Evaluation out;
    if (!std::isfinite(value)) return out;
    if (!gradient) return {value, {}, found.sums.trend.rest + within};
    const StateSlopes slopes = state_slopes(steps, d.columns, noise, found, threads);
    if (!slopes.theta.allFinite() || !std::isfinite(slopes.log_noise)) return out;
    out = {value, slopes.theta, found.sums.trend.rest + within};
    if (d.learn_noise)
      out.gradient =
          concat(slopes.theta, Vector::Constant(1, slopes.log_noise + 0.5 * (within - double(m.merged()))));
    return out;
  }

 private:
  struct Data {
    StateSpace how;
    Kernel<Row> kernel;
    Index of;  // columns of the rows
    bool learn_noise;
    StateData state;
    Matrix columns;  // y, then the basis
  };
  std::shared_ptr<const Data> data_;
};

}  // namespace

std::string StateSpace::text() const {
  return order == StateSpace().order ? "state_space()" : fmt::format("state_space(order={})", order);
}

/// A step of a few states takes some hundred nanoseconds, in which a factorization has some thousand flops.
InferenceCost StateSpace::cost(Index n, Index) const { return {4000.0 * double(n), 300.0 * double(n)}; }

std::string internal::state_refusal_of_points(const StateSpace& how) {
  return "inference " + how.text() +
         " takes rows of numbers, time one of their columns: use exact() or vecchia()";
}

void internal::refuse_points(const StateSpace& how) {
  throw Error(Problem::usage, state_refusal_of_points(how));
}

std::string internal::state_refusal(const StateSpace& how, const Process<Row>& prior, const Rows& x) {
  const std::string reason = state_model(prior.kernel(), x.cols(), how.order).reason;
  return reason.empty() ? "" : "inference " + how.text() + " " + reason + what_it_takes;
}

Objectives internal::state_objective(const StateSpace& how, const Process<Row>& prior, const Rows& x,
                                     const Vector& y, ObjectiveKind kind) {
  if (kind != ObjectiveKind::evidence)
    throw Error(Problem::usage,
                "inference " + how.text() + " maximizes the evidence, not leave-one-out: use exact()");
  const StateDensity density(how, prior, x, y);
  return [density] { return std::make_unique<StateDensity>(density); };
}

}  // namespace covary
