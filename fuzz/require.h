// What a fuzz target promises: if it does not hold the process ends, and the fuzzer keeps the input.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>

namespace fuzz {

inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  std::abort();
}

}  // namespace fuzz
