// The report of covary place: a table, JSON, sentences and a curve.
#pragma once
#include "covary/design/place.h"
#include "pictures/chart.h"
#include "verbs/place_data.h"

namespace covary::cli {

struct PlaceResult {
  const CriterionEntry* criterion = nullptr;
  std::string field = {};               // what is known of it: "the covariances of 144 times"
  Index sets = 0;                       // drawn by chance
  std::vector<std::string> times = {};  // of what was held out
  SensorPlan plan = {};

  Index count() const { return std::ssize(plan.placed.picks); }
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
