// Kernels over text: counts of substrings, gapped subsequences, and sequences aligned position by position.
//
//   spectrum(k=3)             sum_u c_u(x) c_u(z), c_u(x) how often the substring u of k bytes occurs in x
//   mismatch(k=4, m=1)        the same, a substring counts for each u that differs in at most m places
//   subsequence(n=3)          the same of subsequences of n bytes, weighted by decay^(length of span)
//   hamming()                 exp(-sum_p [x_p != z_p]/lengthscale_p)
//   substitution()            exp(-sum_p (1 - R(x_p, z_p))/lengthscale_p), R a similarity of amino acids
//
// A text is a sequence of bytes; a letter outside ASCII is several of them. The first three compare texts of
// any length and are normalized, k(x, z)/sqrt(k(x, x) k(z, z)), unless told otherwise. A text that is too
// short to have any feature then has correlation 1 with other such texts and 0 with all that have features;
// without normalization its variance is 0. The last two are for sequences of one length.
#pragma once
#include <string>

#include "covary/kernels/stationary.h"

namespace covary {

/// Substrings of `shortest` to `longest` bytes (blended where these differ), from 1 to 14.
/// minmax: sum_u min(c_u(x), c_u(z))/sum_u max(c_u(x), c_u(z)), as fingerprints of molecules are compared.
Kernel<std::string> spectrum(int shortest, int longest, bool normalized = true, bool minmax = false);
inline Kernel<std::string> spectrum(int k = 3) { return spectrum(k, k); }

/// The (k, m)-mismatch kernel: sum over substrings u of x and v of z, k bytes each, of the number of words of
/// k letters that differ from both in at most m places (Leslie et al. 2004). That number depends on the
/// distance of u and v and on the size of the alphabet: `bytes` (256), `dna` (ACGT), `rna` (ACGU) or
/// `protein` (20 letters). Case does not matter in the last three, and a letter outside of them is an error.
Kernel<std::string> mismatch(int k = 4, int m = 1, const std::string& alphabet = "bytes",
                             bool normalized = true);

/// Gap-weighted subsequences of n bytes (Lodhi et al. 2002), n from 1 to 10, decay in (0, 1) or NaN: not
/// given. O(n |x| |z|) for each entry; an entry of more than 1e11 steps is refused.
Kernel<std::string> subsequence(int n = 3, double decay = std::numeric_limits<double>::quiet_NaN(),
                                bool normalized = true);

/// Length-scales in numbers of differences: one for all positions or one for each. Those not given are one
/// for each of up to 20 positions, and one for all of longer sequences.
Kernel<std::string> hamming(Vector lengthscale = internal::not_given());

/// R is the matrix of log-odds scores (`blosum62`, `blosum50` or `pam250`) made positive semi-definite:
/// eigenvalues below 0 are set to 0, then rows and columns are scaled to a diagonal of 1. The letters are the
/// 20 amino acids in either case; B, Z and J are the mean of D and N, of E and Q, of I and L; X, * and - are
/// like themselves alone. Length-scales as of hamming.
Kernel<std::string> substitution(const std::string& matrix = "blosum62",
                                 Vector lengthscale = internal::not_given());

}  // namespace covary
