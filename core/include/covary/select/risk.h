// How wrong a model is that chose its own labels: the risk, corrected for how they were chosen.
//
// Every label was foreseen before it was told, with loss l, and had been chosen with probability q among r
// open candidates. Had all been as likely, its weight would be 1; so
//
//   naive = mean l,   corrected = sum w l / sum w,   w = 1/(r q)
//
// The naive mean is that of the hard cases a strategy looks for. The corrected one estimates the mean loss
// over the open candidates, averaged over the models of the labels given; every candidate must have had a
// chance, so a share of the picks has to be random.
//
// It speaks of the whole run. Where losses fell by much as labels came, a few early ones decide, and the
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
  double naive = 0, naive_error = 0;  // its standard error, as if the labels were drawn by chance
  double naive_lower = 0, naive_upper = 0;
  double corrected = 0, standard_error = 0;
  double lower = 0, upper = 0;  // interval at the level asked for
  double effective = 0;         // (sum w)^2 / sum w^2: as many labels by chance would say as much
  double percent = 95;
  /// "0.132 (95 %: 0.093 to 0.181; naive 0.41)"
  std::string text() const;
};

/// What the labels say. Losses that are 0 or 1 get Wilson's interval for a share, mended where errors are
/// rare [brown2001]. Others are taken for squares of errors that are normal, or further out: the interval is
/// that of a variance, from chi-square with v = 2 (corrected/standard_error)^2 degrees of freedom, but
/// effective - 1 at most. Throws Problem::data unless labels by chance are among them, worth two at least.
Risk risk(const std::vector<SampledLoss>& labels, double percent = 95);

}  // namespace covary
