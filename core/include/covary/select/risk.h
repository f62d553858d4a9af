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
#pragma once
#include <string>

#include "covary/types.h"

namespace covary {

struct Foreseen {
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
  /// "0.132 (95 % of 0.093 to 0.181; naive 0.41)"
  std::string text() const;
};

/// What the labels say. Losses that are 0 or 1 get Wilson's interval for a share, others a t interval of
/// their logarithm. Throws Problem::data unless there are two labels of some weight at least.
Risk risk(const std::vector<Foreseen>& labels, double percent = 95);

}  // namespace covary
