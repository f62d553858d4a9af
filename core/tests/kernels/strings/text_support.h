// Random texts for the tests of kernels over them.
#pragma once
#include <string>

#include "covary/base/random.h"
#include "covary/base/types.h"

namespace covary::test {

using Texts = std::vector<std::string>;

/// n texts of `shortest` to `longest` letters.
inline Texts random_texts(std::uint64_t seed, Index n, Index shortest, Index longest,
                          const std::string& letters) {
  Random rng(seed);
  Texts all;
  for (Index i = 0; i < n; ++i) {
    std::string s;
    for (Index k = shortest + rng.integer(longest - shortest + 1); k > 0; --k)
      s += letters[static_cast<size_t>(rng.integer(std::ssize(letters)))];
    all.push_back(s);
  }
  return all;
}

/// The same with an empty text, one of a single letter and repeats of the first three.
inline Texts with_odd_texts(Texts all) {
  all.insert(all.end(), {"", "a", all[0], all[1], all[2], ""});
  return all;
}

}  // namespace covary::test
