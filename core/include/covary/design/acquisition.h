// Acquisition functions over inputs x: query strategies that search for an optimum, as functions to maximize,
// with their gradients with respect to x.
//
//   expected-improvement, probability-of-improvement   logarithms, for gradients everywhere [ament2023]
//   upper-confidence       mean + sqrt(beta) sd
//   thompson               a draw of f as a function [wilson2020]
//   knowledge-gradient     log of E max_t mean(t | label at x) - max_t mean(t), t the measured inputs, reference
//                          points and x itself
//   uncertainty            var f(x)
//
// mean and sd are those of -f in minimization.
#pragma once
#include "covary/inference/input_gradients.h"
#include "covary/select/strategy.h"

namespace covary::internal {

struct AcquisitionOptions {
  bool minimize = false;
  std::uint64_t seed = 1;  // of the draw
  Matrix reference = {};   // r x d: points of the knowledge gradient beside the measured ones
};

struct Acquisition {
  std::function<Vector(const Rows& at)> values;                    // m: what is maximized
  std::function<std::pair<double, Vector>(const Rows& x)> slopes;  // at one row: value and gradient (d)
  std::function<double(double value)> score;                       // what the strategy calls it
  std::function<std::string(const Rows& x, double value)> reason;  // one line
};

/// Under a process given data. Throws Problem::usage for a strategy that is none of these.
Acquisition acquisition(const NamedStrategy& strategy, const Process<Row>& process,
                        const AcquisitionOptions& options);

/// Throws Problem::usage unless the strategy has one.
void check_acquisition(const NamedStrategy& strategy);

}  // namespace covary::internal
