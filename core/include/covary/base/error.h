// A user's mistake, or a result that cannot be computed: what was expected, what was found, and where.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace covary {

/// What went wrong, in the same classes as the command's exit codes.
enum class Problem {
  failed = 1,     // anything else
  usage = 2,      // an option, name or expression
  data = 3,       // a value in the data: names the row and the column
  numerical = 4,  // the arithmetic cannot answer
  limit = 5,      // refused before it starts, with the number
  interrupted = 130
};

/// Thrown for a user's mistake; a programmer's mistake is an assert.
class Error : public std::runtime_error {
 public:
  Error(Problem problem, const std::string& what) : std::runtime_error(what), problem_(problem) {}
  Problem problem() const { return problem_; }

 private:
  Problem problem_;
};

namespace internal {
/// The name nearest to `name` in edit distance, or "" if none is near enough to be meant.
std::string nearest(std::string_view name, const std::vector<std::string>& known);

/// ", did you mean 'x'?" for the nearest name, or "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);
}  // namespace internal

}  // namespace covary
