// What to measure next, by a fitted model: a batch of candidates, with reasons, standard deviations and notes.
//
//   Suggestions s = suggest(model, candidates, {.count = 4, .strategy = "uncertainty"});
//   for (size_t i = 0; i < s.choices.size(); ++i) ... s.choices[i].candidate, s.choices[i].reason, s.sd[i]
#pragma once
#include "covary/design/candidate_pool.h"

namespace covary {

struct SuggestOptions {
  Index count = 1;
  std::string strategy = "variance-reduction";
  SelectorOptions selector = {};
  std::vector<std::string> where =
      {};                 // conditions on the columns of the model (constraint.h): "temp*ph < 300"
  double stop_sd = 0;     // forecast how many more labels bring the sd of f down to this; 0: do not
  std::string unit = {};  // of y, for messages
  std::function<std::string(Index)> name = {};  // what a candidate is called; none: "candidate 17"
};

struct Suggestions {
  std::vector<Choice> choices;     // in the order of choice
  Vector sd;                       // of f at each, before any is measured
  std::vector<std::string> notes;  // coverage and bias of the labels, the forecast
};

/// Throws what CandidatePool throws, and Problem::data if fewer than `count` candidates satisfy the conditions.
Suggestions suggest(const FittedModel& model, const Rows& candidates, const SuggestOptions& options = {});

}  // namespace covary
