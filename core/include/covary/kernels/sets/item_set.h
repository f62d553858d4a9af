// A set of named items with weights, as a point of a process: components of a mixture, words, a fingerprint.
//
// In a cell of a table it is a list, or JSON where names have one of ; : " in them:
//
//   ethanol;water            ["ethanol", "water"]             weights 1; an item that is repeated counts again
//   ethanol:2;water:0.5      {"ethanol": 2, "water": 0.5}     weights
//
// An item of a list has a weight where it ends in a colon and a number; then every item must. Spaces around items
// are dropped. An empty cell, [] and {} are the empty set. Weights are finite and not negative; an item of weight 0
// is not in the set.
#pragma once
#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "covary/base/types.h"

namespace covary {

struct ItemSet {
  std::vector<std::string> items;  // ascending, each once
  std::vector<double> weights;     // of each item, positive; all 1 of a plain set
  auto operator<=>(const ItemSet&) const = default;
};

/// Throws a data Error naming the item that is not as above.
ItemSet read_item_set(std::string_view cell);

/// What read_item_set reads back to an equal set: a list where it can be, else JSON.
std::string text_of(const ItemSet& set);

}  // namespace covary
