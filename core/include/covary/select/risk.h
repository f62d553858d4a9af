// The risk of a model that chose its own labels, corrected for the sampling bias of active learning.
//
// Every label was predicted before it was known, with loss l, and had been chosen with probability q among r
// open candidates. With uniform probabilities its weight would be 1; so
//
//   naive = mean l,   corrected = sum w l / sum w,   w = 1/(r q)
//
// The naive mean is biased towards the hard cases that a strategy selects. The corrected one estimates the mean
// loss over the open candidates, averaged over the models of the labels given; every candidate must have a
// positive probability, so a share of the picks has to be random.
//
// It covers the whole run. Where losses fell strongly as labels came, a few early ones dominate, and the
// interval is too narrow: give the later labels only.
#pragma once
#include <string>

#include "covary/base/types.h"

namespace covary {

struct SampledLoss {
  double loss = 0;
  double probability = 1;  // q
  Index open = 0;          // r
};

struct Risk {
  double naive = 0, naive_error = 0;  // its standard error, as for random labels
  double naive_lower = 0, naive_upper = 0;
  double corrected = 0, standard_error = 0;
  double lower = 0, upper = 0;  // interval at the level asked for
  double effective = 0;         // effective sample size, (sum w)^2 / sum w^2
  double percent = 95;
  /// "0.132 (95 %: 0.093 to 0.181; naive 0.41)"
  std::string text() const;
};

/// The estimated risk. Losses that are 0 or 1 get Wilson's interval for a proportion, corrected where errors are
/// rare [brown2001]. Others are treated as squares of normal or heavier-tailed errors: the interval is
/// that of a variance, from chi-square with v = 2 (corrected/standard_error)^2 degrees of freedom, but
/// effective - 1 at most. Throws Problem::data unless there are random labels among them, with an effective
/// size of at least 2.
Risk risk(const std::vector<SampledLoss>& labels, double percent = 95);

}  // namespace covary
