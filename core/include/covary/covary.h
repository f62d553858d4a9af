// All of Covary. To read it, begin at the top of this list; each folder builds on those before it.
//
//   kernels/kernel.h            a covariance function: six verbs over whole blocks of points
//   kernels/records/schema.h    records: columns of numbers, dates, categories, texts, sets and graphs; model/records.h
//   process/process.h           a Gaussian process: prior, posterior, predictions, samples
//   inference/inference.h       how it is conditioned: exactly, or by an approximation
//   learn/fit.h                 its hyper-parameters, by the marginal likelihood
//   linear/linear_regression.h  the same in weight space: linear, ridge and Bayesian linear regression
//   gaussian/gaussian.h         the multivariate normal distribution: marginals, conditionals, Schur complements
//   select/selector.h           active learning: which candidate to label next, from a pool or a stream
//   place/placement.h           sensor placement: entropy, mutual information, variances
//   svm/classifier.h            classification by support vector machines
//   model/fitted_model.h        a fitted model of any kind; model/model_file.h: its files; table/table.h: CSV
//   design/suggest.h            what to measure next, by a fitted model; design/suggest_over.h: in a domain; design/place.h:
//                               sensor placement; design/posterior_search.h: the posterior density of an expensive
//                               likelihood
//   evaluate/cross_validation.h leave-one-out, folds, rolling origins, calibrated intervals
//   testing/conformance.h       what every kernel and every inference must do, for the tests of your own;
//                               testing/distribution_conformance.h: predictive families and likelihoods
//
// Below them: predictive/ (predictive distributions, scores), basis/ (explicit basis functions), algebra/
// (factors) and base/ (types, errors, random numbers, threads).
// Where compile time matters, include single headers instead of this one.
#pragma once
#include "covary/basis/basis_kernel.h"
#include "covary/design/place.h"
#include "covary/design/posterior_search.h"
#include "covary/design/suggest_over.h"
#include "covary/evaluate/conformal.h"
#include "covary/evaluate/cross_validation.h"
#include "covary/evaluate/forward.h"
#include "covary/gaussian/gaussian.h"
#include "covary/gaussian/univariate.h"
#include "covary/inference/registry.h"
#include "covary/kernels/categories/categories.h"
#include "covary/kernels/columns.h"
#include "covary/kernels/explain.h"
#include "covary/kernels/expression.h"
#include "covary/kernels/function.h"
#include "covary/kernels/graphs/graphs.h"
#include "covary/kernels/linear.h"
#include "covary/kernels/mercer.h"
#include "covary/kernels/nodes/nodes.h"
#include "covary/kernels/periodic.h"
#include "covary/kernels/records/objects.h"
#include "covary/kernels/sets/sets.h"
#include "covary/kernels/sphere/sphere.h"
#include "covary/kernels/stationary.h"
#include "covary/kernels/strings/strings.h"
#include "covary/learn/cost_estimate.h"
#include "covary/learn/fit.h"
#include "covary/linear/fit_kernel_ridge.h"
#include "covary/linear/linear_regression.h"
#include "covary/model/classifier_file.h"
#include "covary/model/model_file.h"
#include "covary/model/model_gradients.h"
#include "covary/model/records.h"
#include "covary/place/evaluate.h"
#include "covary/place/history.h"
#include "covary/place/history_kernel.h"
#include "covary/place/placement.h"
#include "covary/place/words.h"
#include "covary/predictive/student_t.h"
#include "covary/predictive/untransformed.h"
#include "covary/process/editable.h"
#include "covary/process/process.h"
#include "covary/select/coverage.h"
#include "covary/select/curves.h"
#include "covary/select/forecast.h"
#include "covary/select/replay.h"
#include "covary/select/replay_stream.h"
#include "covary/select/risk.h"
#include "covary/select/selector.h"
#include "covary/select/stop.h"
#include "covary/select/stream.h"
#include "covary/select/stream_machine.h"
#include "covary/table/grid.h"
#include "covary/table/slices.h"
#include "covary/table/table.h"
