#include "covary/kernels/records/dictionary.h"

#include <algorithm>
#include <mutex>

namespace covary::internal {

Dictionary::Dictionary(const std::vector<std::string>& texts) {
  for (const std::string& t : texts) (void)code(t);
}

Index Dictionary::code(const std::string& text) {
  if (const auto known = find(text)) return *known;
  const std::unique_lock lock(mutex_);
  if (const auto at = codes_.find(text); at != codes_.end()) return at->second;
  texts_.push_back(text);
  const Index code = std::ssize(texts_) - 1;
  codes_.emplace(texts_.back(), code);
  return code;
}

std::optional<Index> Dictionary::find(const std::string& text) const {
  const std::shared_lock lock(mutex_);
  const auto at = codes_.find(text);
  return at == codes_.end() ? std::nullopt : std::optional(at->second);
}

Index Dictionary::size() const {
  const std::shared_lock lock(mutex_);
  return std::ssize(texts_);
}

std::string Dictionary::text(Index code) const {
  const std::shared_lock lock(mutex_);
  return texts_.at(static_cast<size_t>(code));
}

std::vector<std::string> Dictionary::texts(Index most) const {
  const std::shared_lock lock(mutex_);
  return {texts_.begin(), texts_.begin() + std::min(most, std::ssize(texts_))};
}

}  // namespace covary::internal
