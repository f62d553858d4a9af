// What covary place found, as a table, as JSON, in words and as a curve.
#pragma once
#include <optional>

#include "covary/place/evaluate.h"
#include "covary/place/placement.h"
#include "pictures/chart.h"
#include "verbs/place_data.h"

namespace covary::cli {

struct PlaceResult {
  const CriterionEntry* criterion = nullptr;
  Placed placed;
  std::string belief;                   // "the covariances of 144 times"
  std::vector<HeldOutScore> scores;     // with 0, ..., k sensors; empty: nothing was held out
  std::vector<std::string> times;       // of what was held out
  std::optional<RandomSets> by_chance;  // of the rmse if there is one, else of the mean sd
  Index sets = 0;                       // drawn by chance
  std::vector<std::string> notes = {};

  Index count() const { return std::ssize(placed.picks); }
  /// 0, ..., k sensors: the rmse if there is one, else the mean sd that is left.
  Vector errors() const;
};

std::string place_csv(const PlaceResult& r, const PlaceArguments& a, const Places& places);
std::string place_json(const PlaceResult& r, const PlaceArguments& a, const Places& places);

/// What a reader should know, one sentence each.
std::vector<std::string> place_words(const PlaceResult& r, const PlaceArguments& a, const Places& places);

/// The error that is left as sensors are added, beside sets drawn by chance.
Figure place_curve(const PlaceResult& r, const PlaceArguments& a, const Places& places);

}  // namespace covary::cli
