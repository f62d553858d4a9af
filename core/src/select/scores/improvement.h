// Improvement criteria in the search for the largest f, from its posterior N(mean, sd^2) and the best value so
// far; with their slopes. Minimization: the same of -f.
//
//   z = gain/sd,  gain = mean - best,  h(z) = phi(z) + z Phi(z)
//   expected improvement      E max(f - best, 0) = sd h(z)
//   probability of one        Phi(z)
//   knowledge gradient        E max_i (a_i + b_i Z) - max_i a_i,   Z ~ N(0, 1)
//
// The best value so far is the largest posterior mean at an input that was measured or is pending, so that noise
// does not make a lucky label the one to beat.
#pragma once
#include "covary/select/strategy.h"

namespace covary::select {

/// A value and its derivatives in gain and sd.
struct Promise {
  double value = 0, gain = 0, sd = 0;
};
Promise expected_improvement(double gain, double sd);
Promise probability_of_improvement(double gain, double sd);
/// Their logarithms, exact to rounding far below the best [ament2023]: so that their gradients do not vanish
/// there.
Promise log_expected_improvement(double gain, double sd);
Promise log_probability_of_improvement(double gain, double sd);

/// The knowledge gradient, with E[i is the largest] (n) and its derivatives in b (n), by the upper envelope of
/// the lines a_i + b_i z [frazier2009]: n log n.
struct KnowledgeGain {
  double value = 0;
  Vector largest, slopes;
};
KnowledgeGain knowledge_gain(const Vector& a, const Vector& b);
/// Its value alone; sd of the change where it is below rounding counts as 0.
double knowledge_gain_value(const Vector& a, const Vector& b);

/// The state of a search over a pool for the largest sign f; sign is -1 in minimization.
struct Outlook {
  double sign = 1;
  Vector mean, sd;  // m: of sign f
  double best = 0;  // the largest mean at a candidate that is labelled or pending; of all where there is none
};
Outlook outlook(const StrategyInput& sight);

/// The standard deviation of the labels; 0 with fewer than two.
double label_spread(const StrategyInput& sight);

/// The argument of a strategy, `otherwise` if it was not given. Throws Problem::usage unless it is a number of 0 or
/// more.
double not_negative(const Arguments& a, const std::string& name, double otherwise);

/// v - min v, where differences that are rounding are 0.
Vector above_least(const Vector& v);

}  // namespace covary::select
