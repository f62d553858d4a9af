// What to measure next in a domain, without a table of candidates: the acquisition function is maximized from many
// starts with its gradients with respect to x.
//
//   DomainSuggestions s = suggest(model, {parse_axis("temp=20:90"), parse_axis("ph=5:9:0.1")},
//                                 {.count = 3, .strategy = "expected-improvement"});
//   s.x.row(0), s.mean[0], s.reasons[0]
//
// Starts are the best of quasi-random points and of points near the best measured inputs. Intervals are searched by
// gradients (learn/minimize.h), lattices and lists by steps from place to place, in turn. A batch is chosen one by
// one: the model is given the posterior mean at those chosen before, so that they are no more uncertain.
#pragma once
#include "covary/design/domain.h"
#include "covary/design/suggest.h"

namespace covary {

/// Inputs in the order of choice, to be measured together.
struct DomainSuggestions {
  Matrix x;                          // k x d, in the columns of the model
  Vector score;                      // k: of the strategy
  Vector mean, sd;                   // k: of f, before any is measured
  std::vector<std::string> reasons;  // k
  std::vector<std::string> notes;
};

/// `options.selector`: seed, threads, minimize and progress count. Throws Problem::usage for a strategy that needs
/// candidates (acquisition.h), for costs and random picks, and Problem::data if no point of the domain is feasible or
/// all of its points were measured.
DomainSuggestions suggest(const FittedModel& model, const std::vector<DomainAxis>& over,
                          const SuggestOptions& options = {.strategy = "expected-improvement"});

}  // namespace covary
