// The result of a placement, in sentences.
#pragma once
#include "covary/place/evaluate.h"
#include "covary/place/placement.h"

namespace covary::internal {

/// Inputs of the sentences besides the sensors.
struct PlacedAbout {
  const CriterionEntry* criterion = nullptr;
  std::string field;      // what is known of it: "the covariances of 144 times"
  Index candidates = 0;   // among how many
  bool given = false;     // a given set was scored
  bool bought = false;    // under a budget
  std::string unit = {};  // of the field; "": not said
};

/// The number of sensors and the criterion; why no more; the proven quality; the remaining sd. One sentence each.
std::vector<std::string> words(const Placed& placed, const PlacedAbout& about);

/// "chosen by mutual-information from the covariances of 144 times".
std::string chosen_words(const PlacedAbout& about);

/// Of readings that were held out: scores (k + 1), what sets by chance came to (none: nothing is said of
/// them), and what the times are called.
std::vector<std::string> held_out_words(const std::vector<HeldOutScore>& scores, const RandomSets* by_chance,
                                        const std::vector<std::string>& times, const std::string& unit = "");

}  // namespace covary::internal
