#include "covary/base/names.h"

#include <algorithm>

#include "covary/base/error.h"

namespace covary {

std::string internal::there_are(std::string_view name, std::vector<std::string> known) {
  const std::string near = nearest(name, known);
  if (const auto at = std::find(known.begin(), known.end(), near); at != known.end())
    std::rotate(known.begin(), at, at + 1);
  std::string all;
  for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
  return (near.empty() ? "; there are " : ", did you mean '" + near + "'? There are ") + all;
}

}  // namespace covary
