// Common subsequences of two texts, weighted by their gaps.
#pragma once
#include <span>
#include <string>

#include "covary/base/types.h"

namespace covary::internal {

struct TextPair {
  const std::string* x;
  const std::string* z;
};

/// S = sum over subsequences u of n bytes, their places i in x and j in z, of decay^(gaps of i + gaps of j),
/// where a subsequence that spans l bytes has l - n gaps; and dS/d decay if asked for. The gap-weighted
/// kernel of Lodhi et al. is decay^(2n) S, the same once it is normalized.
struct Embeddings {
  Vector value, slope;  // of each pair
};

/// O(n |x| |z|) for each pair, eight pairs at a time; the bits of a pair do not depend on the others, nor on
/// which of the two texts is called x. Throws a limit Error before it starts if a pair takes more than 1e11
/// steps.
Embeddings embeddings(std::span<const TextPair> pairs, int n, double decay, bool slopes);

}  // namespace covary::internal
