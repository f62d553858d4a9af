// The text of some rows, one after another in one piece of memory.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "covary/base/types.h"

namespace covary::csv {

class RawRows {
 public:
  void clear() {
    text_.clear();
    ends_.clear();
  }
  /// `record` as it stands in the file; its line end is left out.
  void add(std::string_view record) {
    if (record.ends_with('\n')) record.remove_suffix(1);
    if (record.ends_with('\r')) record.remove_suffix(1);
    text_ += record;
    ends_.push_back(text_.size());
  }
  size_t bytes() const { return text_.size(); }
  std::string_view operator[](Index row) const {
    const auto i = static_cast<size_t>(row);
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string text_;
  std::vector<size_t> ends_;  // of each row in the text
};

}  // namespace covary::csv
