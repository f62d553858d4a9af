// The distinct texts of a column, each with its code 0, 1, 2, ...
#pragma once
#include <deque>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "covary/base/types.h"

namespace covary::internal {

/// Texts are added and never removed, so a code means the same to all who share the dictionary; any number of
/// threads may use one at once.
class Dictionary {
 public:
  Dictionary() = default;
  explicit Dictionary(const std::vector<std::string>& texts);
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  /// The code of a text, which is added if it is new.
  Index code(const std::string& text);
  std::optional<Index> find(const std::string& text) const;
  Index size() const;
  std::string text(Index code) const;
  /// The first `most` texts, in the order of their codes.
  std::vector<std::string> texts(Index most) const;
  std::vector<std::string> texts() const { return texts(size()); }

 private:
  mutable std::shared_mutex mutex_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, Index> codes_;  // views of texts_, whose elements stay where they are
};

}  // namespace covary::internal
