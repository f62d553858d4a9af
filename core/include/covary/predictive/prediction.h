// Predictive distributions at m points, all of one family, in the units of y.
//
//   Prediction p = StudentT{mean, sd};              // normal: student_t.h
//   auto [lower, upper] = p.interval(95);
//   p.cdf(y), p.quantile(0.1), p.log_density(y), p.crps(y);
//
// Any struct with the verbs of PredictiveFamily is a family; it needs no base class. Prediction holds any of
// them by value, erased once for all points. Immutable but for what is copied out of it, mean and sd.
#pragma once
#include <concepts>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "covary/base/error.h"
#include "covary/base/types.h"
#include "covary/gaussian/univariate.h"

namespace covary {

template <class D>
concept PredictiveFamily = requires(const D d, const Vector& y, double p, const std::vector<Index>& which) {
  { d.mean() } -> std::convertible_to<Vector>;          // m
  { d.sd() } -> std::convertible_to<Vector>;            // m
  { d.cdf(y) } -> std::convertible_to<Vector>;          // m: P(Y_i <= y_i)
  { d.quantile(p) } -> std::convertible_to<Vector>;     // m: 0 < p < 1
  { d.log_density(y) } -> std::convertible_to<Vector>;  // m: log probability of what is counted
  { d.crps(y) } -> std::convertible_to<Vector>;         // m: int (F_i(u) - 1{y_i <= u})^2 du
  { d.picked(which) } -> std::convertible_to<D>;        // these points
  { d.joined(d) } -> std::convertible_to<D>;            // these points, then those
  { d.text() } -> std::convertible_to<std::string>;     // "normal"
};

/// The ends of a central interval at m points.
struct Interval {
  Vector lower, upper;
};

/// Beyond the verbs of PredictiveFamily a family may have
///   standardized(y)   m: z, how far out y lies        (default: the normal quantile of cdf(y))
///   at(z)             m: the inverse of that          (default: quantile(Phi(z)))
///   reach(percent)    z such that the central interval is from at(-z) to at(z)      (default: the normal's)
///   scaled(by)        the distribution of `by` times what is predicted     (default: refused)
///   symmetric()       whether the mean is the median, always               (default: no)
///   freedom           a number: the degrees of freedom of a t, for reports (default: infinite)
class Prediction {
 public:
  Prediction() = default;
  template <class D>
  // NOLINTNEXTLINE(google-explicit-constructor): meant to convert
  requires(!std::same_as<D, Prediction> && PredictiveFamily<D>) Prediction(D d, Index at_zero = 0)
      : mean(d.mean()), sd(d.sd()), clamped(at_zero), self_(std::make_shared<const Held<D>>(std::move(d))) {}

  Vector mean, sd;    // m. Not the variance: it may be too large for a number
  Index clamped = 0;  // as in Marginals

  Vector cdf(const Vector& y) const { return self_->cdf(y); }
  Vector quantile(double p) const { return self_->quantile(p); }
  Vector log_density(const Vector& y) const { return self_->log_density(y); }
  Vector crps(const Vector& y) const { return self_->crps(y); }
  /// (y - mean) / sd of a t or a normal, of g(y) for a model of g(y); 0 where a certain prediction was right,
  /// infinite where it was not.
  Vector standardized(const Vector& y) const { return self_->standardized(y); }
  Vector at(double z) const { return self_->at(z); }
  double reach(double percent) const { return self_->reach(percent); }
  /// The central interval of so many percent. Throws Problem::usage unless 0 < percent < 100.
  Interval interval(double percent) const {
    const double z = reach(percent);
    return {at(-z), at(z)};
  }

  Prediction picked(const std::vector<Index>& which) const { return self_->picked(which); }
  /// Throws Problem::usage unless both are of one family.
  Prediction joined(const Prediction& more) const { return self_->joined(*this, more); }
  Prediction scaled(double by) const { return self_->scaled(*this, by); }
  bool symmetric() const { return self_->symmetric(); }
  double freedom() const { return self_->freedom(); }
  std::string text() const { return self_->text(); }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual Vector cdf(const Vector&) const = 0;
    virtual Vector quantile(double) const = 0;
    virtual Vector log_density(const Vector&) const = 0;
    virtual Vector crps(const Vector&) const = 0;
    virtual Vector standardized(const Vector&) const = 0;
    virtual Vector at(double) const = 0;
    virtual double reach(double) const = 0;
    virtual Prediction picked(const std::vector<Index>&) const = 0;
    virtual Prediction joined(const Prediction&, const Prediction&) const = 0;
    virtual Prediction scaled(const Prediction&, double) const = 0;
    virtual bool symmetric() const = 0;
    virtual double freedom() const = 0;
    virtual std::string text() const = 0;
  };
  template <class D>
  struct Held;
  std::shared_ptr<const Any> self_;
};

template <class D>
struct Prediction::Held final : Prediction::Any {
  explicit Held(D held) : d(std::move(held)) {}
  Vector cdf(const Vector& y) const override { return d.cdf(y); }
  Vector quantile(double p) const override { return d.quantile(p); }
  Vector log_density(const Vector& y) const override { return d.log_density(y); }
  Vector crps(const Vector& y) const override { return d.crps(y); }
  Vector standardized(const Vector& y) const override {
    if constexpr (requires { d.standardized(y); })
      return d.standardized(y);
    else
      return d.cdf(y).unaryExpr([](double p) { return internal::student_quantile(p, normal); });
  }
  Vector at(double z) const override {
    if constexpr (requires { d.at(z); })
      return d.at(z);
    else
      return d.quantile(internal::student_cdf(z, normal));
  }
  double reach(double percent) const override {
    if constexpr (requires { d.reach(percent); })
      return d.reach(percent);
    else
      return internal::interval_quantile(percent);
  }
  Prediction picked(const std::vector<Index>& which) const override { return d.picked(which); }
  Prediction joined(const Prediction& self, const Prediction& more) const override {
    const auto* other = dynamic_cast<const Held*>(more.self_.get());
    if (!other) throw Error(Problem::usage, "predictions of different families cannot be joined");
    return {d.joined(other->d), self.clamped + more.clamped};
  }
  Prediction scaled(const Prediction& self, double by) const override {
    if (by == 1) return self;
    if constexpr (requires { d.scaled(by); })
      return {d.scaled(by), self.clamped};
    else
      throw Error(Problem::usage, "predictions of this family have no scale: " + d.text());
  }
  bool symmetric() const override {
    if constexpr (requires { d.symmetric(); }) return d.symmetric();
    return false;
  }
  double freedom() const override {
    if constexpr (requires { d.freedom; })
      return d.freedom;
    else
      return normal;
  }
  std::string text() const override { return d.text(); }

  static constexpr double normal = std::numeric_limits<double>::infinity();  // degrees of freedom
  D d;
};

}  // namespace covary
