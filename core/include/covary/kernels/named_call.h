// A call by name with numbers, as strategies and inferences are typed: "svm-margin(penalty=10)", "inducing(512)".
#pragma once
#include "covary/kernels/registry.h"

namespace covary::internal {

/// What may be called.
struct Callable {
  std::string name;
  std::vector<std::string> parameters;
};

struct NamedCall {
  size_t entry = 0;  // of what was offered
  Arguments arguments;
};

/// `subject` is what errors call it: "strategy". A number without a name stands for the next parameter if
/// `positional`. Throws Problem::usage with the position of what is wrong, and the names there are.
NamedCall read_call(const std::string& text, const std::string& subject, const std::vector<Callable>& known,
                    bool positional = false);

}  // namespace covary::internal
