// Criteria: the value of a growing set of sensors. One file each under src/place/criteria/, listed in criteria.cc.
#pragma once
#include <memory>

#include "covary/place/allowed.h"
#include "covary/place/conditioned.h"

namespace covary {

/// A criterion over one field, and the sensors chosen so far. F(A) is the value of sensors A besides the
/// existing ones: F({}) = 0.
class Criterion {
 public:
  explicit Criterion(internal::Conditioned now) : now_(std::move(now)) {}
  virtual ~Criterion() = default;
  virtual std::unique_ptr<Criterion> clone() const = 0;

  /// n: F(A + y) - F(A) for every place y; of no meaning where a sensor stands.
  const Vector& gains() const;
  /// n: the place of the largest is chosen next; for some designs these are not the gains.
  virtual Vector scores() const { return gains(); }
  /// n: among equal scores the largest is chosen; empty: the first.
  virtual Vector ties() const { return {}; }
  void add(Index place);
  /// Room for so many sensors more.
  void reserve(Index sensors) { now_.reserve(sensors); }

  double value() const { return value_; }  // F(A)
  const internal::Conditioned& now() const { return now_; }

  /// Bounds F(B) from above for every B of 1, ..., start.left() sensors that `start`, from before A was
  /// taken, allows (under a budget, the same number for each: any set that it buys). Whatever A is; a good A
  /// gives a low bound. Infinite: none is known.
  virtual Vector most(const Allowed& start) const = 0;
  /// Bounds F(B) for every B that contains A and otherwise what `rest` allows. Any bound will do that is not
  /// above `enough`.
  virtual double most_beyond(const Allowed& rest, double enough) const = 0;
  /// The gain of an uninformative sensor: shares of the best count from there.
  virtual double least() const { return 0; }
  /// Notes on what was assumed.
  virtual std::vector<std::string> notes() const { return {}; }

 protected:
  Criterion(const Criterion&) = default;
  virtual Vector computed_gains() const = 0;
  /// now_ has the sensor already; `before`: what the variance of its reading was.
  virtual void added(Index place, double before) = 0;
  internal::Conditioned now_;

 private:
  double value_ = 0;
  mutable Vector gains_;  // of the sensors so far; empty: not known yet
};

struct CriterionOptions {
  std::uint64_t seed = 1;
  int threads = 1;
  Index neighbors = 50;  // that local criteria compare each place with
};

/// A criterion as the registry knows it.
struct CriterionEntry {
  std::string name;     // as typed: "mutual-information"
  std::string formula;  // "log(var(y | A) / var(y | rest)) / 2"
  std::string about;    // one line: when to use it
  std::string unit;     // of its value: "nats"; "variance" is that of the field, squared
  /// Given the existing sensors, but with F({}) = 0.
  std::function<std::unique_ptr<Criterion>(const PlacementProblem&, const Field&, const CriterionOptions&)>
      make;
  std::string certificate = {};  // why its bound holds
  bool stops = true;             // at a gain that is negative
  bool baseline = false;         // chooses without regard to information
};

/// Every criterion, in the order they are listed.
const std::vector<CriterionEntry>& criteria();
/// Throws Problem::usage and suggests the nearest name.
const CriterionEntry& criterion_called(const std::string& name);

}  // namespace covary
