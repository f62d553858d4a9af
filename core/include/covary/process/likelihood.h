// Likelihoods: the distribution of an observation y given the value f of the process there.
//
// Any struct with these verbs is one. noise.h is the Gaussian one, the only one for which exact inference is
// exact.
#pragma once
#include <concepts>
#include <string>
#include <vector>

#include "covary/kernels/kernel.h"
#include "covary/predictive/prediction.h"
#include "covary/process/marginals.h"

namespace covary {

template <class L>
concept LikelihoodFamily = requires(const L l, const Vector& y, const Vector& f, const Marginals& m) {
  { l.log_density(y, f) } -> std::convertible_to<Vector>;  // n: log p(y_i | f_i)
  { l.slopes(y, f) } -> std::convertible_to<Vector>;       // n: its first derivatives in f_i
  { l.curvatures(y, f) } -> std::convertible_to<Vector>;   // n: its second derivatives
  { l.observed(m) } -> std::convertible_to<Marginals>;     // mean and variance of y where f has those of m
  { l.predictive(m) } -> std::convertible_to<Prediction>;  // int p(y | f) p(f) df
  { l.theta() } -> std::convertible_to<Vector>;            // unconstrained parameters that are to be learned
  { l.with(f) } -> std::convertible_to<L>;                 // the same with other parameters
  { l.start(double()) } -> std::convertible_to<Vector>;    // theta suggested by the variance of y
  { l.parameters() } -> std::convertible_to<std::vector<Parameter>>;  // one for each of theta
  { l.text() } -> std::convertible_to<std::string>;                   // parses back, but for numbers per row
};

}  // namespace covary
