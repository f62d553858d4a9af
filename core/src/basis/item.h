// One item of a list of features, and the maps that make them.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "covary/base/types.h"

namespace covary {
namespace internal {
struct FeatureItem;
}
using namespace internal;

constexpr Index most_features = 100'000;
/// The largest whole number of which a double and an Index hold the one before, too.
constexpr Index largest_whole =
    static_cast<Index>(sizeof(Index) > 4 ? std::int64_t{1} << 53 : (std::int64_t{1} << 31) - 1);

/// `size` features of a row. A value: what is decided by data is decided by `place`, which gives another.
struct internal::FeatureItem {
  std::string text;
  Index size = 0;
  std::vector<Index> columns;                     // those it looks at
  std::function<std::vector<Index>(Index)> sees;  // those that feature j looks at; empty: all of them
  std::vector<std::string> names;                 // size, once placed
  std::function<void(const Rows& x, Eigen::Ref<Matrix> phi)> fill;  // n x size; empty: to be placed
  std::function<FeatureItem(const Rows& x)> place;                  // empty: placed
};

/// One argument of a map.
struct MapArgument {
  std::string name;
  size_t position = 1;
  std::vector<double> values;
  bool list = false;
  std::string kernel;  // its text, where that is what it is
};

/// A map as it was called, while the list is being read. Functions that find a fault say its position.
struct MapCall {
  std::string name;
  std::string_view text;                  // the whole list
  std::vector<Index> columns;             // those it looks at
  const std::vector<std::string>& names;  // of all columns
  std::vector<MapArgument> arguments;

  const MapArgument* find(const std::string& argument) const;
  /// A whole number from lower to upper, or `otherwise` if it was not given.
  Index whole(const std::string& argument, Index otherwise, Index lower, Index upper) const;
  /// The same for what decides how many features there are: a limit Error beyond `most_features`.
  Index how_many(const std::string& argument, Index otherwise) const;
  /// The numbers given, none if it was not.
  std::vector<double> numbers(const std::string& argument) const;
  [[noreturn]] void fail(const std::string& argument, const std::string& what) const;

  /// The names of the columns it reads, as a list writes them.
  std::vector<std::string> column_names() const;
  /// "NAME(", then "temp, " or "[a, b], " unless it looks at every column of a row.
  std::string opening() const;
};

/// A map of features by its name, with its arguments in order.
struct FeatureMaker {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<FeatureItem> (*make)(const MapCall&);
};
const std::vector<FeatureMaker>& feature_makers();

std::vector<FeatureItem> make_polynomial(const MapCall& call);
std::vector<FeatureItem> make_interactions(const MapCall& call);
std::vector<FeatureItem> make_splines(const MapCall& call);
std::vector<FeatureItem> make_bumps(const MapCall& call);
std::vector<FeatureItem> make_fourier(const MapCall& call);

/// "[1, 2.5]", each number as short as reads back to the same.
std::string list_text(const std::vector<double>& values);

/// Throws a limit Error if there are more than `most_features`.
void check_number_of_features(double number, const std::string& of);

}  // namespace covary
