// What learning will take, before it is begun. Approximate: how many evaluations a search needs depends on
// the data.
#pragma once
#include "covary/learn/fit.h"

namespace covary::internal {

struct Effort {
  int exploring = 0;             // evaluations on a sample of the rows
  Index explored_rows = 0;       // the size of that sample
  double exploring_seconds = 0;  // for all of them
  int refining = 0;              // evaluations on all rows
  double seconds_each = 0;       // of one of these
  double finishing_seconds = 0;  // conditioning on all rows, and leaving each out
  double seconds = 0;            // in all, or what FitOptions::max_seconds leaves of it
  double bytes = 0;              // at the peak
  double free_bytes = 0;         // now
};

/// Times one evaluation on at most 1500 rows (a tenth of a second or so) and scales it by what the inference costs. Throws what
/// fit would for data it would refuse, but not for want of memory: that is what it is asked for.
Effort effort(const Model<Row>& model, const Rows& x, const Vector& y, const FitOptions& options = {});

}  // namespace covary::internal
