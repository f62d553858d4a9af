// Conformance tests of kernels and inferences, for the tests of new ones in any test framework.
//
//   for (const std::string& failure : conformance::kernel<Row>(my_kernel, a, b)) FAIL() << failure;
//
// Each function returns what failed, in words: nothing if the property holds. The core's own tests call them for
// every entry of the registries.
#pragma once
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <sstream>
#include <thread>

#include "covary/base/random.h"
#include "covary/inference/registry.h"
#include "covary/kernels/graphs/graph.h"
#include "covary/kernels/registry.h"
#include "covary/kernels/sets/item_set.h"
#include "covary/testing/differences.h"

namespace covary::conformance {

class Failures : public std::vector<std::string> {
 public:
  void check(bool holds, const std::string& what) {
    if (!holds) push_back(what);
  }
  /// |a - b| <= tolerance.
  void close(double a, double b, double tolerance, const std::string& what) {
    if (std::abs(a - b) <= tolerance) return;
    std::ostringstream out;
    out.precision(17);
    out << what << ": " << a << " against " << b << ", tolerance " << tolerance;
    push_back(out.str());
  }
  /// max |a - b| <= tolerance * max(|a|, |b|), largest entries.
  void near(const Matrix& a, const Matrix& b, double tolerance, const std::string& what) {
    if (!same_size(a, b, what) || a.size() == 0) return;
    if (!a.allFinite() || !b.allFinite()) return check(false, what + ": not finite");
    const double size = std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
    close((a - b).cwiseAbs().maxCoeff(), 0, tolerance * size, what);
  }
  /// Equal in every bit.
  void same_bits(const Matrix& a, const Matrix& b, const std::string& what) {
    if (!same_size(a, b, what) || a.size() == 0) return;
    check(std::memcmp(a.data(), b.data(), sizeof(double) * size_t(a.size())) == 0, what + ": other bits");
  }
  void add(const Failures& more) { insert(end(), more.begin(), more.end()); }

 private:
  bool same_size(const Matrix& a, const Matrix& b, const std::string& what) {
    const bool same = a.rows() == b.rows() && a.cols() == b.cols();
    check(same, what + ": other sizes");
    return same;
  }
};

// ---- kernels: a and b are points, 20 or so of each

/// k(a, b) = k(b, a)', within the rounding of the largest variance.
template <class X>
Failures symmetry(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  Failures out;
  out.near(k.cross(a, b), k.cross(b, a).transpose(), 1e-15, "k(a, b) and k(b, a)'");
  const Matrix own = k.cross(a, a);
  out.near(own, own.transpose(), 1e-15, "k(a, a) and its transpose");
  return out;
}

/// Smallest eigenvalue >= -1e-10 of the largest.
template <class X>
Failures positive_semidefinite(const Kernel<X>& k, Batch<X> a) {
  const Vector values =
      Eigen::SelfAdjointEigenSolver<Matrix>(k.cross(a, a), Eigen::EigenvaluesOnly).eigenvalues();
  Failures out;
  out.check(values.minCoeff() >= -1e-10 * values.maxCoeff(),
            "k(a, a) has the eigenvalue " + std::to_string(values.minCoeff()));
  return out;
}

template <class X>
Failures diagonal(const Kernel<X>& k, Batch<X> a) {
  const Vector d = k.diag(a), c = k.cross(a, a).diagonal();
  Failures out;
  for (Index i = 0; i < d.size(); ++i) out.close(d[i], c[i], 1e-14 * d[i], "diag(a) at " + std::to_string(i));
  return out;
}

/// 1e-6 of each entry, with a floor of 1e-10 of sum |w_ij K_ij|: what is left when large terms cancel.
template <class X>
Failures pullback(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  const Matrix w = Random(7).normal(count(a), count(b));
  const Vector g = k.pullback(a, b, w), t = k.theta();
  Failures out;
  if (g.size() != t.size()) return out.check(false, "pullback: not an entry for each of theta"), out;
  const Vector d =
      differences([&](const Vector& s) { return w.cwiseProduct(k.with(s).cross(a, b)).sum(); }, t);
  const double floor = 1e-10 * w.cwiseProduct(k.cross(a, b)).cwiseAbs().sum();
  for (Index i = 0; i < t.size(); ++i)
    out.close(g[i], d[i], 1e-6 * std::abs(g[i]) + floor, "pullback, entry " + std::to_string(i));
  return out;
}

/// The same in the inputs, for points that have coordinates.
template <class X>
Failures pullback_inputs(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  Failures out;
  if constexpr (std::same_as<X, Row>) {
    const Matrix w = Random(11).normal(count(a), count(b)), g = k.pullback_inputs(a, b, w);
    if (g.rows() != a.rows() || g.cols() != a.cols())
      return out.check(false, "pullback_inputs: not an entry for each coordinate"), out;
    const double floor = 1e-8 * w.cwiseProduct(k.cross(a, b)).cwiseAbs().rowwise().sum().maxCoeff();
    for (Index c = 0; c < a.cols(); ++c)
      for (Index i = 0; i < a.rows(); i += 5) {
        const auto moved = [&](const Vector& t) {
          Matrix p = a.row(i);
          p(0, c) += t[0];
          return w.row(i).dot(k.cross(p, b).row(0));
        };
        const double d = differences(moved, Vector::Zero(1))[0];
        out.close(g(i, c), d, 1e-6 * std::abs(d) + floor,
                  "pullback_inputs, point " + std::to_string(i) + ", column " + std::to_string(c));
      }
  }
  return out;
}

/// The bits of an entry do not depend on the columns it is asked for with, and hardly on the rows: inner
/// loops take the last rows of a block one by one.
template <class X>
Failures tiles(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  const Matrix all = k.cross(a, b);
  const Vector diagonal = k.diag(a);
  Failures out;
  for (const Index step : {1, 3, 17}) {
    const std::string by = " by " + std::to_string(step);
    for (Index j = 0; j < count(b); j += step) {
      const Range c{j, std::min(step, count(b) - j)};
      out.same_bits(k.cross(a, slice(b, c)), all.middleCols(c.first, c.count), "columns" + by);
    }
    for (Index i = 0; i < count(a); i += step) {
      const Range r{i, std::min(step, count(a) - i)};
      out.near(k.cross(slice(a, r), b), all.middleRows(r.first, r.count), 1e-15, "rows" + by);
    }
    out.same_bits(k.diag(slice(a, {step, step})), diagonal.segment(step, step), "diagonal" + by);
  }
  return out;
}

/// pullback is linear in w and adds up over tiles.
template <class X>
Failures pullback_adds(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  const Matrix w = Random(8).normal(count(a), count(b));
  const Index half = count(a) / 2, rest = count(a) - half;
  const Vector parts = k.pullback(slice(a, {0, half}), b, w.topRows(half)) +
                       k.pullback(slice(a, {half, rest}), b, w.bottomRows(rest));
  const Vector all = k.pullback(a, b, w);
  const double size = w.cwiseProduct(k.cross(a, b)).cwiseAbs().sum();
  Failures out;
  for (Index i = 0; i < all.size(); ++i)
    out.close(parts[i], all[i], 1e-13 * (size + std::abs(all[i])), "pullback of two halves");
  return out;
}

template <class X>
Failures with_is_identity(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  const Kernel<X> same = k.with(k.theta());
  const Vector moved = k.theta().array() + 0.25;
  Failures out;
  out.near(same.theta(), k.theta(), 1e-14, "theta of with(theta)");
  out.near(same.cross(a, b), k.cross(a, b), 1e-13, "covariance of with(theta)");
  out.near(k.with(moved).theta(), moved, 1e-14, "theta of with(moved)");
  return out;
}

/// One parameter that is not fixed for each entry of theta, in order, with the value that theta stands for on the
/// parameter's scale. Of parameters without a name (theta.1, ...) theta itself is the value.
template <class X>
Failures parameters_match(const Kernel<X>& k) {
  const Vector t = k.theta();
  Failures out;
  Index i = 0;
  for (const Parameter& p : k.parameters()) {
    out.check(!p.path.empty(), "a parameter without a path");
    if (p.fixed) continue;
    const bool named = p.role != Role::other || p.scale != Scale::log;
    if (i < t.size() && named)
      out.close(p.value, covary::internal::from_theta(p.scale, t[i]), 1e-14 * std::abs(p.value),
                "parameter " + p.path);
    ++i;
  }
  out.check(i == t.size(), "parameters: not one for each entry of theta");
  return out;
}

/// Starts are finite, as is the covariance there.
template <class X>
Failures starts(const Kernel<X>& k, Batch<X> a) {
  const Kernel<X> s = k.sized(a), loud = k.amplified().sized(a);
  const Vector t = s.start(a, 2.5), u = loud.start(a, 2.5);
  Failures out;
  if (t.size() != s.theta().size() || u.size() != loud.theta().size())
    return out.check(false, "start: not an entry for each of theta"), out;
  out.check(t.allFinite() && u.allFinite(), "start: not finite");
  out.check(s.with(t).cross(a, a).allFinite(), "start: the covariance is not finite");
  return out;
}

/// The mean of phi phi' over seeds is K within six standard errors.
template <class X>
Failures features(const Kernel<X>& k, Batch<X> a) {
  constexpr int seeds = 40;
  const Matrix exact = k.cross(a, a);
  Matrix sum = Matrix::Zero(exact.rows(), exact.cols()), squares = sum;
  Failures out;
  for (int s = 0; s < seeds; ++s) {
    Random rng(1000 + static_cast<std::uint64_t>(s));
    const FeatureMap<X> f = k.features(rng, 300);
    if (!f) return out;
    const Matrix phi = f(a);
    if (phi.cols() != f.columns) return out.check(false, "features: other columns than said"), out;
    const Matrix one = phi * phi.transpose();
    sum += one;
    squares += one.cwiseAbs2();
  }
  const Matrix mean = sum / seeds;
  const Matrix error = ((squares / seeds - mean.cwiseAbs2()).cwiseMax(0.0) / (seeds - 1)).cwiseSqrt();
  for (Index j = 0; j < mean.cols(); ++j)
    for (Index i = 0; i <= j; ++i)
      out.close(mean(i, j), exact(i, j), 6 * error(i, j) + 1e-9 * exact.cwiseAbs().maxCoeff(),
                "features at " + std::to_string(i) + ", " + std::to_string(j));
  return out;
}

template <class X>
Failures thread_safety(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  const Matrix w = Random(9).normal(count(a), count(b));
  const Matrix alone = k.cross(a, b);
  const Vector gradient = k.pullback(a, b, w);
  std::vector<Matrix> crosses(4);
  std::vector<Vector> gradients(4);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < 4; ++t)
      threads.emplace_back(
          [&, t] { crosses[t] = k.cross(a, b), gradients[t] = k.with(k.theta()).pullback(a, b, w); });
  }
  Failures out;
  for (size_t t = 0; t < 4; ++t) {
    out.same_bits(crosses[t], alone, "covariance in four threads");
    out.near(gradients[t], gradient, 1e-12, "pullback in four threads");
    out.same_bits(gradients[t], gradients[0], "pullback in four threads");
  }
  return out;
}

namespace internal {

/// The parameters in a tree, in the order of its kernel.
inline std::vector<Parameter> parameters_in(const Expression& e) {
  std::vector<Parameter> all = e.parameters;
  if (e.kind == Expression::Kind::number || e.kind == Expression::Kind::scaled)
    all.push_back({"variance", Role::variance, e.value});
  const bool numbered = e.kind == Expression::Kind::sum || e.kind == Expression::Kind::product;
  for (size_t i = 0; i < e.parts.size(); ++i)
    for (Parameter& p :
         covary::internal::prefixed(numbered ? std::to_string(i + 1) + "." : "", parameters_in(e.parts[i])))
      all.push_back(std::move(p));
  for (Parameter& p : all) {
    if (e.reads.empty()) continue;
    for (Index& k : p.reads) k = e.reads[static_cast<size_t>(k)];
    if (p.reads.empty()) p.reads = e.reads;
  }
  return all;
}

/// The arguments of an entry of that name; null if there is none.
template <class X>
const std::vector<std::string>* arguments_of(const std::string& name) {
  for (const Entry<X>& entry : registry<X>())
    if (entry.name == name) return &entry.parameters;
  for (const Combinator<X>& c : combinators<X>())
    if (c.name == name) return &c.parameters;
  return nullptr;
}

/// The names and arguments of calls are those of the registry, unless it has none but the kernels of all types. Over rows
/// there may be kernels over texts, sets and graphs inside.
template <class X>
void check_calls(const Expression& e, Failures& out) {
  for (const Expression& part : e.parts) check_calls<X>(part, out);
  if (e.kind != Expression::Kind::call || e.function) return;
  const std::vector<std::string>* known = arguments_of<X>(e.name);
  if constexpr (std::same_as<X, Row>) {
    if (!known) known = arguments_of<std::string>(e.name);
    if (!known) known = arguments_of<ItemSet>(e.name);
    if (!known) known = arguments_of<Graph>(e.name);
  }
  out.check(known || registry<X>().size() == 1, "node: the registry has no '" + e.name + "'");
  for (const Argument& a : e.arguments)
    out.check(!known || std::find(known->begin(), known->end(), a.name) != known->end(),
              "node: " + e.name + " has no argument '" + a.name + "'");
}

}  // namespace internal

/// The tree prints as the text, its calls are in the registry, and its parameters are those of the kernel, in
/// order, with the columns they read.
template <class X>
Failures node(const Kernel<X>& k) {
  const Expression e = k.node();
  const std::vector<Parameter> found = internal::parameters_in(e), all = k.parameters();
  Failures out;
  out.check(text_of(e) == k.text(), "node: it prints as " + text_of(e));
  internal::check_calls<X>(e, out);
  if (found.size() != all.size()) return out.check(false, "node: other parameters than the kernel's"), out;
  for (size_t i = 0; i < all.size(); ++i) {
    const Parameter &a = found[i], &b = all[i];
    const bool same = a.value == b.value || (std::isnan(a.value) && std::isnan(b.value));
    out.check(a.path == b.path && a.reads == b.reads && same, "node: parameter " + b.path + " is another");
  }
  return out;
}

/// Prepared points and their slices have the bits of the points themselves.
template <class X>
Failures prepared(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  const Prepared<X> pa = k.prepare(a), pb = k.prepare(b);
  const Matrix w = Random(10).normal(count(a), count(b));
  Failures out;
  for (const Range r : {Range{0, count(a)}, Range{3, 16}, Range{5, 7}})
    for (const Range c : {Range{0, count(b)}, Range{1, 9}}) {
      const Batch<X> ar = slice(a, r), bc = slice(b, c);
      const Matrix some = w.block(r.first, c.first, r.count, c.count);
      const Prepared<X> pr = slice(pa, r), pc = slice(pb, c);
      out.same_bits(pr.cross(pc), k.cross(ar, bc), "prepared covariance");
      out.same_bits(pr.diag(), k.diag(ar), "prepared variances");
      out.same_bits(pr.pullback(pc, some), k.pullback(ar, bc, some), "prepared pullback");
    }
  return out;
}

/// All of these.
template <class X>
Failures kernel(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  Failures out;
  for (const Failures& some :
       {symmetry<X>(k, a, b), positive_semidefinite<X>(k, a), diagonal<X>(k, a), pullback<X>(k, a, b),
        pullback_inputs<X>(k, a, b), tiles<X>(k, a, b), pullback_adds<X>(k, a, b),
        with_is_identity<X>(k, a, b), parameters_match<X>(k), node<X>(k), prepared<X>(k, a, b),
        starts<X>(k, a), features<X>(k, slice(a, {0, 6})), thread_safety<X>(k, a, b)})
    out.add(some);
  for (std::string& failure : out) failure = k.text() + ": " + failure;
  return out;
}

// ---- inferences

/// A prior of known noise, observations (x, y) of it, and points to predict at.
template <class X>
struct InferenceCase {
  Process<X> prior;
  Points<X> x;
  Vector y;
  Points<X> at;
  Process<X> posterior(const Inference<X>& i) const { return condition(i, prior, Batch<X>(x), y); }
};

template <class X>
Failures text(const Inference<X>& i, const InferenceCase<X>& c) {
  Failures out;
  out.check(parse_inference<X>(i.text()).text() == i.text(), i.text() + " is not read back");
  out.check(c.posterior(i).report().inference == i.text(), "the report does not name " + i.text());
  return out;
}

template <class X>
Failures marginals(const Inference<X>& i, const InferenceCase<X>& c) {
  const Process<X> p = c.posterior(i);
  const Batch<X> at(c.at);
  const Marginals m = p.predict(at);
  const Gaussian j = p.joint(at);
  Failures out;
  out.near(m.mean, j.mean(), 1e-10, "marginal and joint means");
  out.near(m.variance, j.covariance().diagonal(), 1e-9, "marginal variances and the joint's diagonal");
  out.near(p.mean(at), m.mean, 1e-10, "the mean alone");
  out.check(m.variance.minCoeff() >= 0, "a negative variance");
  return out;
}

/// Of the objective at the parameters of the prior, and log(0.07) of a noise that is learned.
template <class X>
Failures gradients(const Inference<X>& i, const InferenceCase<X>& c) {
  const auto objective = i.objective(c.prior, Batch<X>(c.x), c.y, ObjectiveKind::evidence)();
  Vector theta = c.prior.kernel().theta();
  if (c.prior.noise().is_learned())
    theta = covary::internal::concat(theta, Vector::Constant(1, std::log(0.07)));
  const Evaluation e = objective->at(theta);
  Failures out;
  if (e.gradient.size() != theta.size())
    return out.check(false, "gradient: not an entry for each of theta"), out;
  const Vector d = differences([&](const Vector& t) { return objective->at(t, false).value; }, theta, 1e-3);
  for (Index k = 0; k < d.size(); ++k)
    out.close(e.gradient[k], d[k], 1e-6 * std::max(1.0, std::abs(d[k])),
              "gradient, entry " + std::to_string(k));
  out.check(objective->at(theta, false).gradient.size() == 0, "a gradient that was not asked for");
  return out;
}

/// The objective is the evidence of the posterior, and not above the exact one where it is said to be a lower bound.
template <class X>
Failures evidence(const Inference<X>& i, const InferenceCase<X>& c) {
  const auto objective = i.objective(c.prior, Batch<X>(c.x), c.y, ObjectiveKind::evidence)();
  const Process<X> posterior = c.posterior(i);
  const double value = posterior.log_evidence();
  Failures out;
  out.close(objective->at(c.prior.kernel().theta()).value, value, 1e-8, "objective and log evidence");
  out.check(
      !posterior.report().lower_bound || value <= c.prior.condition(Batch<X>(c.x), c.y).log_evidence() + 1e-6,
      "more than the exact evidence");
  return out;
}

template <class X>
Failures conditioning_twice(const Inference<X>& i, const InferenceCase<X>& c) {
  const Batch<X> x(c.x), at(c.at);
  const Index n = c.y.size(), first = 2 * n / 3;
  const Process<X> once = c.posterior(i);
  const Process<X> twice = condition(i, c.prior, slice(x, {0, first}), Vector(c.y.head(first)))
                               .condition(slice(x, {first, n - first}), c.y.tail(n - first));
  Failures out;
  out.check(twice.size() == n, "conditioned twice: not all of the observations");
  out.near(twice.mean(at), once.mean(at), 1e-9, "mean, conditioned twice");
  out.near(twice.variance(at), once.variance(at), 1e-9, "variance, conditioned twice");
  out.close(twice.log_evidence(), once.log_evidence(), 1e-8, "log evidence, conditioned twice");
  return out;
}

/// With the parameters that make nothing an approximation it is exact.
template <class X>
Failures limit_is_exact(const Inference<X>& limit, const InferenceCase<X>& c) {
  const Batch<X> at(c.at);
  const Process<X> all = c.posterior(limit), exact = c.prior.condition(Batch<X>(c.x), c.y);
  const LeaveOneOut a = all.leave_one_out(), b = exact.leave_one_out();
  Failures out;
  out.near(all.mean(at), exact.mean(at), 1e-6, "mean in the limit");
  out.near(all.variance(at), exact.variance(at), 1e-6, "variance in the limit");
  out.close(all.log_evidence(), exact.log_evidence(), 1e-5, "log evidence in the limit");
  out.near(all.coefficients(), exact.coefficients(), 1e-6, "trend in the limit");
  out.near(all.coefficient_covariance(), exact.coefficient_covariance(), 1e-6, "its covariance in the limit");
  out.near(a.mean, b.mean, 1e-5, "leave-one-out means in the limit");
  out.near(a.variance, b.variance, 1e-5, "leave-one-out variances in the limit");
  return out;
}

/// At points that have no covariance with the data; the trend must be known.
template <class X>
Failures far_is_prior(const Inference<X>& i, const InferenceCase<X>& c, Batch<X> far) {
  const Process<X> p = c.posterior(i);
  Failures out;
  out.near(p.mean(far), c.prior.trend().known_at(far), 5e-10, "mean far from the data");
  out.near(p.variance(far), c.prior.kernel().diag(far), 5e-10, "variance far from the data");
  return out;
}

/// The objective has the same bits at any number of threads.
template <class X>
Failures objective_threads(const Inference<X>& i, const InferenceCase<X>& c) {
  const auto objective = i.objective(c.prior, Batch<X>(c.x), c.y, ObjectiveKind::evidence);
  const Vector theta = c.prior.kernel().theta();
  const Evaluation one = objective()->at(theta, true, 1), two = objective()->at(theta, true, 2);
  Failures out;
  out.check(one.value == two.value, "objective: other bits with two threads");
  out.same_bits(one.gradient, two.gradient, "gradient with two threads");
  return out;
}

/// Predictions at many points have the same bits in any blocks and at any number of threads.
template <class X>
Failures prediction_blocks(const Inference<X>& i, const InferenceCase<X>& c) {
  const Process<X> p = c.posterior(i);
  const Batch<X> at(c.at);
  const Index m = count(at);
  const Marginals all = p.predict(at, Of::f, 2);
  Failures out;
  for (const Range r : {Range{0, 1}, Range{m / 4, m / 10}, Range{m - 1, 1}}) {
    const Marginals some = p.predict(slice(at, r), Of::f, 1);
    out.same_bits(some.mean, all.mean.segment(r.first, r.count), "means of a block");
    out.same_bits(some.variance, all.variance.segment(r.first, r.count), "variances of a block");
  }
  return out;
}

/// Of 300 sampled functions: means within 4.5 standard errors, standard deviations within a quarter.
template <class X>
Failures path_moments(const Inference<X>& i, const InferenceCase<X>& c) {
  constexpr Index draws = 300;
  const Process<X> p = c.posterior(i);
  const Batch<X> at(c.at);
  Matrix f(count(at), draws);
  for (Index k = 0; k < draws; ++k) f.col(k) = p.path(std::uint64_t(k), 1000)(at);
  const Vector mean = f.rowwise().mean(), sd = p.predict(at).sd();
  const Vector off = (mean - p.mean(at)).cwiseQuotient(sd) * std::sqrt(double(draws));
  const Vector spread = ((f.colwise() - mean).rowwise().squaredNorm() / double(draws - 1)).cwiseSqrt();
  Failures out;
  out.close(off.cwiseAbs().maxCoeff(), 0, 4.5, "the mean of paths, in standard errors");
  out.near(spread.cwiseQuotient(sd), Vector::Ones(f.rows()), 0.25, "standard deviations of paths");
  return out;
}

template <class X>
Failures cost_grows(const Inference<X>& i) {
  Failures out;
  out.check(i.cost(2000, 3).flops > i.cost(1000, 3).flops, "cost: flops do not grow with the rows");
  out.check(i.cost(2000, 3).bytes >= i.cost(1000, 3).bytes, "cost: bytes fall with the rows");
  return out;
}

}  // namespace covary::conformance
