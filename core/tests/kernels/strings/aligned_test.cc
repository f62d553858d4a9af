// Kernels of aligned sequences: hamming and substitution.
#include <gtest/gtest.h>

#include <cmath>

#include "conformance.h"
#include "covary/kernels/strings/strings.h"
#include "kernels/strings/amino_acids.h"
#include "kernels/strings/text_support.h"

namespace covary::test::aligned_test {
namespace {

using internal::amino_acid_similarity;
using internal::amino_acids;
using internal::score_matrices;

Index letter(char c) { return static_cast<Index>(amino_acids.find(c)); }

TEST(Hamming, CountsPositions) {
  const Texts x{"abcd", "abce", "xbcd", "wxyz"};
  const Vector l = Eigen::Vector4d(1, 2, 4, 8);
  const Matrix k = hamming(l).cross(x, x);
  EXPECT_EQ(k(0, 0), 1);
  EXPECT_NEAR(k(0, 1), std::exp(-1 / 8.0), 1e-15);
  EXPECT_NEAR(k(0, 2), std::exp(-1.0), 1e-15);
  EXPECT_NEAR(k(1, 2), std::exp(-1 - 1 / 8.0), 1e-15);
  EXPECT_NEAR(k(0, 3), std::exp(-1 - 1 / 2.0 - 1 / 4.0 - 1 / 8.0), 1e-15);
  const Matrix shared = hamming(Vector::Constant(1, 3)).cross(x, x);
  EXPECT_NEAR(shared(0, 3), std::exp(-4 / 3.0), 1e-15);
  EXPECT_TRUE(near(hamming(Vector::Constant(4, 3)).cross(x, x), shared, 1e-15));
}

TEST(Hamming, ShortSequencesHaveALengthScaleForEachPosition) {
  EXPECT_EQ(hamming().sized(Texts{"abcd", "abce"}).theta().size(), 4);
  EXPECT_EQ(hamming().sized(Texts{std::string(20, 'a')}).theta().size(), 20);
  EXPECT_EQ(hamming().sized(Texts{std::string(21, 'a')}).theta().size(), 1);
  EXPECT_EQ(hamming().sized(Texts{""}).theta().size(), 1);
  const Texts x = random_texts(1, 9, 5, 5, "ab");
  EXPECT_EQ(hamming().sized(x).start(x, 1).size(), 5);
  EXPECT_EQ(hamming(Vector::Constant(1, 2)).sized(x).theta().size(), 1);
}

TEST(Hamming, SequencesOfOtherLengthsAreRefused) {
  const Texts x{"abcd", "abc"}, same{"abcd"}, other{"abcde"};
  const Kernel<std::string> k = hamming(Vector::Constant(1, 2));
  for (const auto& said :
       {error_of([&] { k.cross(x, x); }, Problem::data), error_of([&] { k.diag(x); }, Problem::data)})
    EXPECT_NE(said.find("found lengths 4 and 3"), std::string::npos) << said;
  const std::string said = error_of([&] { k.cross(same, other); }, Problem::data);
  EXPECT_NE(said.find("found lengths 4 and 5"), std::string::npos) << said;
  EXPECT_NE(error_of([&] { hamming(Vector::Constant(3, 2)).cross(same, same); }, Problem::usage)
                .find("3 length-scales were given for sequences of 4 positions"),
            std::string::npos);
}

TEST(Substitution, SimilaritiesArePositiveSemidefinite) {
  ASSERT_EQ(score_matrices(), (std::vector<std::string>{"blosum62", "blosum50", "pam250"}));
  for (const std::string& name : score_matrices()) {
    const Matrix r = amino_acid_similarity(name);
    EXPECT_TRUE(same_bits(r, r.transpose())) << name;
    EXPECT_TRUE(same_bits(r.diagonal(), Vector::Ones(r.rows()))) << name;
    EXPECT_GE(eigenvalues_of(r).minCoeff(), -1e-14) << name;
    EXPECT_GT(r(letter('I'), letter('V')), 0.4) << name << ": they replace each other";
    EXPECT_LT(r(letter('W'), letter('D')), 0) << name;
    EXPECT_GT(r(letter('B'), letter('D')), 0.7) << name;
    EXPECT_GT(r(letter('B'), letter('N')), 0.7) << name;
    EXPECT_GT(r(letter('Z'), letter('E')), r(letter('Z'), letter('W'))) << name;
    for (const char c : {'X', '*', '-'}) EXPECT_EQ(r.row(letter(c)).cwiseAbs().sum(), 1) << name << c;
  }
}

/// Scores that were made positive semi-definite lose their negative part alone: along every other direction
/// they are the scores, of which three are well known.
TEST(Substitution, ScoresAreThoseOfTheTable) {
  const Matrix r = amino_acid_similarity("blosum62").topLeftCorner(20, 20);
  EXPECT_NEAR(r(letter('I'), letter('V')), 0.80947427, 1e-8);  // numpy, from the table that Biopython ships
  EXPECT_NEAR(r.minCoeff(), -0.39800569, 1e-8);
  EXPECT_NEAR(amino_acid_similarity("blosum50").topLeftCorner(20, 20).minCoeff(), -0.39465745, 1e-8);
  EXPECT_NEAR(amino_acid_similarity("pam250").topLeftCorner(20, 20).minCoeff(), -0.55457373, 1e-8);
}

TEST(Substitution, IsTheExponentialOfTheSimilarity) {
  const Texts x{"ACDWY", "ACDWF", "acdwy", "GGGGG", "AC-WX"};
  const Matrix r = amino_acid_similarity("blosum62");
  const Vector l = (Vector(5) << 1, 2, 3, 4, 5).finished();
  const Matrix k = substitution("blosum62", l).cross(x, x);
  EXPECT_NEAR(k(0, 1), std::exp(-(1 - r(letter('Y'), letter('F'))) / 5), 1e-15);
  EXPECT_EQ(k(0, 2), 1) << "case does not matter";
  EXPECT_NEAR(k(0, 4), std::exp(-1 / 3.0 - 1 / 5.0), 1e-15);
  double sum = 0;
  for (size_t p = 0; p < 5; ++p) sum += (1 - r(letter(x[0][p]), letter('G'))) / l[Index(p)];
  EXPECT_NEAR(k(0, 3), std::exp(-sum), 1e-15);
}

TEST(Substitution, UnknownLettersAreNamed) {
  const Texts x{"ACDWY", "ACOWY"};
  const std::string said =
      error_of([&] { substitution("blosum62", Vector::Constant(1, 1)).cross(x, x); }, Problem::data);
  EXPECT_NE(said.find("found 'O' at position 3"), std::string::npos) << said;
  EXPECT_NE(said.find("ARNDCQEGHILKMFPSTWYVBZJX*-"), std::string::npos) << said;
}

}  // namespace
}  // namespace covary::test::aligned_test
