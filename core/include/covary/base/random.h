// Random numbers that are the same on every platform: the seed is an argument, never a global.
#pragma once
#include <cstdint>
#include <memory>

#include "covary/base/types.h"

namespace covary {

/// A seeded stream of draws (the 64-bit Mersenne twister and distributions of Boost.Random).
class Random {
 public:
  explicit Random(std::uint64_t seed);
  ~Random();
  Random(Random&&) noexcept;
  Random& operator=(Random&&) noexcept;

  double normal();                              // N(0, 1)
  double uniform();                             // in [0, 1)
  double gamma(double shape);                   // scale 1
  Index integer(Index n);                       // 0, ..., n - 1
  std::uint64_t fork();                         // a seed for an independent stream
  Matrix normal(Index rows, Index cols);        // column by column
  std::vector<Index> subset(Index n, Index k);  // k of 0, ..., n - 1 without repeats, ascending

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

namespace internal {
/// Up to `most` of 0, ..., m - 1, ascending, the same for the same m: all of them if there are no more.
std::vector<Index> representatives(Index m, Index most);
}  // namespace internal

}  // namespace covary
