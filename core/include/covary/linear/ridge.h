// Ridge regression along a whole path of penalties, from one decomposition.
//
//   minimize  |y - Phi w|^2 + penalty sum_j (scale_j w_j)^2        (scale_j = 0: column j is not penalized)
//
//   RidgePath path = ridge_path(phi, y);                 // the best penalty by exact leave-one-out
//   Vector w = path.weights.col(path.best);
//
// Phi = Q R by blocks of rows (qr_triangle.h), the columns that are not penalized projected out, then the
// singular values of what is left. Phi'Phi is never formed, and Phi never held.
#pragma once
#include <string>
#include <vector>

#include "covary/algebra/qr_triangle.h"

namespace covary {

struct RidgeOptions {
  enum class By { leave_one_out, generalized, evidence, given };
  By by = By::leave_one_out;          // criterion of the best penalty; given: the only one
  Vector penalties;                   // the path; empty: `count`, evenly in the logarithm from lower to upper
  Vector scale;                       // N: of the weights; empty: all 1
  Index count = 100;                  // of penalties
  double lower = 1e-10, upper = 1e3;  // in units of the largest squared singular value
  bool refine = true;                 // look between the neighbors of the best, and add what is found
  bool leave_one_out = true;          // false: not found (NaN), and the rows are needed once only
  int threads = 0;
};

struct RidgePath {
  Vector penalties;      // L, ascending; the refined one among them
  Matrix weights;        // N x L
  Vector leave_one_out;  // L: root mean squared error of each row from all others; NaN if not asked for
  Vector generalized;    // L: n rss / (n - freedom)^2
  Vector freedom;        // L: effective degrees of freedom, the trace of the hat matrix
  Vector rss;            // L: |y - Phi w|^2
  Vector log_evidence;   // L: log p(y), penalty = noise / prior variance, both scaled to be most likely, and
                         // columns that are not penalized at their estimate:
                         // -n/2 log(2 pi v) - n/2 - sum_j log(1 + s_j^2/penalty)/2, n v = least cost
  Index best = 0;
  std::string chosen_by;  // "leave-one-out", ...
  bool at_end = false;    // the best is the smallest or the largest of the path
  std::vector<std::string> notes;
};

/// For n rows, N columns, L penalties: 2 n N^2 flops in one pass over the rows, O(N^3) for the decomposition,
/// then O(N) a penalty and O(N^2) for its weights. Leave-one-out: 2 n N^2 + 4 n N L flops in a second pass (a
/// third to refine by it). Memory for a few blocks of rows and a few N x N matrices. n < N works too.
RidgePath ridge_path(const internal::RowBlocks& phi, const Vector& y, const RidgeOptions& options = {});
RidgePath ridge_path(const Rows& phi, const Vector& y, const RidgeOptions& options = {});
/// The same from the triangle of n rows [Phi y], kept for other uses too: O(N^3). Without leave-one-out.
RidgePath ridge_path(const internal::Triangle& t, Index rows, const RidgeOptions& options);

}  // namespace covary
