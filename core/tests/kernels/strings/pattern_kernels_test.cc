// Spectrum and mismatch kernels against the definition, by enumeration of all words.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "conformance.h"
#include "covary/kernels/strings/strings.h"
#include "kernels/strings/text_support.h"

namespace covary::test::pattern_kernels_test {
namespace {

using Counts = std::map<std::string, double>;

Matrix by_features(const std::vector<Counts>& c, bool normalized) {
  const Index n = std::ssize(c);
  Matrix k = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      for (const auto& [u, count] : c[size_t(i)])
        if (const auto it = c[size_t(j)].find(u); it != c[size_t(j)].end()) k(i, j) += count * it->second;
  if (!normalized) return k;
  Matrix r = k;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const double norm2 = k(i, i) * k(j, j);
      r(i, j) = norm2 > 0 ? k(i, j) / std::sqrt(norm2) : k(i, i) == k(j, j) ? 1 : 0;
    }
  return r;
}

std::vector<Counts> substrings(const Texts& x, size_t shortest, size_t longest) {
  std::vector<Counts> all;
  for (const std::string& text : x) {
    all.emplace_back();
    for (size_t k = shortest; k <= longest; ++k)
      for (size_t i = 0; i + k <= text.size(); ++i) ++all.back()[text.substr(i, k)];
  }
  return all;
}

TEST(Spectrum, IsTheInnerProductOfCounts) {
  for (const auto& [shortest, longest] : {std::pair{1, 1}, {3, 3}, {1, 3}, {2, 5}, {9, 9}, {14, 14}, {7, 10}})
    for (const bool normalized : {true, false}) {
      Texts x = with_odd_texts(random_texts(1, 25, 0, 30, "ab"));
      x.insert(x.end(),
               {std::string("a\0b\0", 4), std::string("\0\0\0", 3), "\xff\xff\xff", "Größe, größer"});
      const Kernel<std::string> k = spectrum(shortest, longest, normalized);
      const Matrix expected = by_features(substrings(x, size_t(shortest), size_t(longest)), normalized);
      EXPECT_TRUE(same_bits(k.cross(x, x), expected)) << k.text();
      EXPECT_TRUE(same_bits(k.diag(x), expected.diagonal())) << k.text();
    }
}

/// sum_u min(c_u(x), c_u(z))/sum_u max(c_u(x), c_u(z)); 1 for two texts without substrings.
TEST(Spectrum, SharesAreOfMinimaAndMaxima) {
  const Texts x = with_odd_texts(random_texts(2, 25, 0, 30, "abc"));
  const std::vector<Counts> counts = substrings(x, 2, 4);
  Matrix expected(std::ssize(x), std::ssize(x));
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = 0; j < x.size(); ++j) {
      double least = 0, most = 0;
      Counts all = counts[i];
      all.insert(counts[j].begin(), counts[j].end());
      for (const auto& [u, _] : all) {
        const auto a = counts[i].find(u), b = counts[j].find(u);
        const double p = a == counts[i].end() ? 0 : a->second, q = b == counts[j].end() ? 0 : b->second;
        least += std::min(p, q), most += std::max(p, q);
      }
      expected(Index(i), Index(j)) = most > 0 ? least / most : 1;
    }
  const Kernel<std::string> k = spectrum(2, 4, true, true);
  EXPECT_TRUE(same_bits(k.cross(x, x), expected));
  EXPECT_TRUE(same_bits(k.diag(x), Vector::Ones(std::ssize(x))));
  EXPECT_EQ(k.text(), "spectrum(k=2..4, measure=minmax)");
}

/// A string that ends in zero bytes is no shorter string, and bytes above 8 count.
TEST(Spectrum, KeysAreExact) {
  const Texts x{std::string("ab\0", 3), "ab", std::string("\0ab", 3), "abcdefghijX", "abcdefghijY"};
  const Matrix k = spectrum(2, 3, false).cross(x, x);
  EXPECT_EQ(k(0, 1), 1);
  EXPECT_EQ(k(0, 2), 1);
  EXPECT_EQ(spectrum(11).cross(x, x)(3, 4), 0);
  EXPECT_EQ(spectrum(10, 10, false).cross(x, x)(3, 4), 1);
}

TEST(Spectrum, TextsWithoutFeaturesAreAlike) {
  const Texts x{"", "ab", "a", "abcd", "xyz"};
  for (const Kernel<std::string>& k : {spectrum(3), mismatch(3, 1), subsequence(3, 0.5)}) {
    const Matrix c = k.cross(x, x);
    EXPECT_TRUE(same_bits(c.topLeftCorner(3, 3), Matrix::Ones(3, 3))) << k.text();
    EXPECT_TRUE(same_bits(c.topRightCorner(3, 2), Matrix::Zero(3, 2))) << k.text();
    EXPECT_EQ(c(3, 3), 1) << k.text();
  }
  for (const Kernel<std::string>& k :
       {spectrum(3, 3, false), mismatch(3, 1, "bytes", false), subsequence(3, 0.5, false)}) {
    EXPECT_TRUE(same_bits(k.cross(x, x).topRows(3), Matrix::Zero(3, 5))) << k.text();
    EXPECT_TRUE(same_bits(k.diag(x).head(3), Vector::Zero(3))) << k.text();
  }
}

/// Every word of k letters.
Texts words(size_t k, const std::string& letters) {
  Texts all{""};
  for (size_t i = 0; i < k; ++i) {
    Texts longer;
    for (const std::string& w : all)
      for (const char c : letters) longer.push_back(w + c);
    all = longer;
  }
  return all;
}

/// c_u(x): the substrings of x in at most m mismatches from u, for each word u.
std::vector<Counts> neighborhoods(const Texts& x, size_t k, int m, const std::string& letters) {
  const Texts all = words(k, letters);
  std::vector<Counts> out;
  for (const std::string& text : x) {
    out.emplace_back();
    for (size_t i = 0; i + k <= text.size(); ++i)
      for (const std::string& u : all) {
        int distance = 0;
        for (size_t p = 0; p < k; ++p) distance += text[i + p] != u[p];
        if (distance <= m) ++out.back()[u];
      }
  }
  return out;
}

TEST(Mismatch, CountsNeighborhoods) {
  const std::string protein = "ACDEFGHIKLMNPQRSTVWY";
  struct Case {
    int k, m;
    const char* alphabet;
    std::string letters;
  };
  for (const Case& c :
       {Case{1, 0, "dna", "ACGT"}, Case{2, 1, "dna", "ACGT"}, Case{4, 1, "dna", "ACGT"},
        Case{4, 2, "rna", "ACGU"}, Case{4, 3, "dna", "ACGT"}, Case{5, 2, "dna", "ACGT"},
        Case{2, 1, "protein", protein}, Case{3, 1, "protein", protein}, Case{3, 2, "protein", protein}})
    for (const bool normalized : {true, false}) {
      Texts x = random_texts(2, 12, 0, 12, c.letters);
      x.insert(x.end(), {"", "A", x[0]});
      const Kernel<std::string> k = mismatch(c.k, c.m, c.alphabet, normalized);
      const Matrix expected = by_features(neighborhoods(x, size_t(c.k), c.m, c.letters), normalized);
      EXPECT_TRUE(same_bits(k.cross(x, x), expected)) << k.text();
      EXPECT_TRUE(same_bits(k.diag(x), expected.diagonal())) << k.text();
    }
}

/// All 256 bytes are letters: words of two bytes can be listed.
TEST(Mismatch, OfBytes) {
  std::string letters;
  for (int c = 0; c < 256; ++c) letters += static_cast<char>(c);
  const Texts x = random_texts(3, 5, 0, 6, letters.substr(60, 4));
  EXPECT_TRUE(same_bits(mismatch(2, 1).cross(x, x), by_features(neighborhoods(x, 2, 1, letters), true)));
}

TEST(Mismatch, WithoutMismatchesIsSpectrum) {
  const Texts x = with_odd_texts(random_texts(4, 20, 0, 30, "acgt"));
  for (const char* alphabet : {"bytes", "dna"})
    EXPECT_TRUE(same_bits(mismatch(3, 0, alphabet).cross(x, x), spectrum(3).cross(x, x)));
}

TEST(Mismatch, LettersOutsideTheAlphabetAreNamed) {
  const Texts x{"ACGTacgt", "ACGNT"};
  const std::string said = error_of([&] { mismatch(3, 1, "dna").cross(x, x); }, Problem::data);
  EXPECT_NE(said.find("ACGT, found 'N' at position 4"), std::string::npos) << said;
  const Texts both{"ACGT", "acgt"};
  EXPECT_EQ(mismatch(3, 1, "dna").cross(both, both)(0, 1), 1) << "case does not matter";
  EXPECT_LT(mismatch(3, 1).cross(both, both)(0, 1), 1);
}

/// The cost is told before it is paid.
TEST(Mismatch, TooManyPatternsAreRefused) {
  const Texts x = random_texts(5, 1, 1000000, 1000000, "acgt");
  const std::string said = error_of([&] { mismatch(12, 3).diag(x); }, Problem::limit);
  EXPECT_NE(said.find("1000000 bytes"), std::string::npos) << said;
  EXPECT_EQ(spectrum(1, 3).diag(x)[0], 1) << "a megabyte is no trouble";
}

}  // namespace
}  // namespace covary::test::pattern_kernels_test
