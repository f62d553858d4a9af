// Stopping rules of labelling, in the units of the label.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "covary/base/types.h"

namespace covary {

/// A rule that is 0 is off; the first that holds stops the labelling.
struct StopRules {
  double largest_sd = 0;  // no candidate's f is less certain than this, in units of y
  double gain = 0;    // the next label is expected to bring less than this, per cost, in units of the score
  double change = 0;  // predictions move by less than this (root mean square, units of y; share of
  int rounds = 3;     // classes) ... in each of so many rounds in a row
};

/// Watches the rounds and says when a rule holds.
class Stopping {
 public:
  explicit Stopping(StopRules rules) : rules_(rules) {}

  /// After a round: labels so far, the largest sd of f, the gain per cost of the latest choice, how far
  /// predictions moved.
  void round(Index labels, double largest_sd, double gain, double change);
  /// The rule that holds, in words, or "".
  std::string reason() const;
  /// Labels until the largest sd is likely to be at the rule's, from how it fell so far (a power of the
  /// number of labels); -1 if that is not known yet, 0 if it is reached.
  Index remaining() const;
  /// "about 12 more labels to reach 0.5 degC", or "".
  std::string forecast(const std::string& unit = "") const;

 private:
  StopRules rules_;
  std::vector<Index> labels_;
  std::vector<double> sd_;
  double gain_ = std::numeric_limits<double>::infinity();
  int still_ = 0;
};

}  // namespace covary
