#include "kernels/strings/amino_acids.h"

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>

namespace covary::internal {
namespace {

constexpr Index plain_letters = 20;  // amino acids, without the letters that stand for several
using ScoreTable = std::array<int, plain_letters*(plain_letters + 1) / 2>;

// Lower triangles, row by row, in the order of amino_acids.
// clang-format off

// Henikoff & Henikoff (1992), PNAS 89:10915, as NCBI distributes it: blocks clustered at 62 %, in half bits.
constexpr ScoreTable blosum62{
    4,  // A
    -1, 5,  // R
    -2, 0, 6,  // N
    -2, -2, 1, 6,  // D
    0, -3, -3, -3, 9,  // C
    -1, 1, 0, 0, -3, 5,  // Q
    -1, 0, 0, 2, -4, 2, 5,  // E
    0, -2, 0, -1, -3, -2, -2, 6,  // G
    -2, 0, 1, -1, -3, 0, 0, -2, 8,  // H
    -1, -3, -3, -3, -1, -3, -3, -4, -3, 4,  // I
    -1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4,  // L
    -1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5,  // K
    -1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5,  // M
    -2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6,  // F
    -1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7,  // P
    1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4,  // S
    0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5,  // T
    -3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3, -2, 11,  // W
    -2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2, -2, 2, 7,  // Y
    0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0, -3, -1, 4,  // V
};

// The same at 50 %, in thirds of a bit.
constexpr ScoreTable blosum50{
    5,  // A
    -2, 7,  // R
    -1, -1, 7,  // N
    -2, -2, 2, 8,  // D
    -1, -4, -2, -4, 13,  // C
    -1, 1, 0, 0, -3, 7,  // Q
    -1, 0, 0, 2, -3, 2, 6,  // E
    0, -3, 0, -1, -3, -2, -3, 8,  // G
    -2, 0, 1, -1, -3, 1, 0, -2, 10,  // H
    -1, -4, -3, -4, -2, -3, -4, -4, -4, 5,  // I
    -2, -3, -4, -4, -2, -2, -3, -4, -3, 2, 5,  // L
    -1, 3, 0, -1, -3, 2, 1, -2, 0, -3, -3, 6,  // K
    -1, -2, -2, -4, -2, 0, -2, -3, -1, 2, 3, -2, 7,  // M
    -3, -3, -4, -5, -2, -4, -3, -4, -1, 0, 1, -4, 0, 8,  // F
    -1, -3, -2, -1, -4, -1, -1, -2, -2, -3, -4, -1, -3, -4, 10,  // P
    1, -1, 1, 0, -1, 0, -1, 0, -1, -3, -3, 0, -2, -3, -1, 5,  // S
    0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 2, 5,  // T
    -3, -3, -4, -5, -5, -1, -3, -3, -3, -3, -2, -3, -1, 1, -4, -4, -3, 15,  // W
    -2, -1, -2, -3, -3, -1, -2, -3, 2, -1, -1, -2, 0, 4, -3, -2, -2, 2, 8,  // Y
    0, -3, -3, -4, -1, -3, -3, -4, -4, 4, 1, -3, 1, -1, -3, -2, 0, -3, -1, 5,  // V
};

// Dayhoff, Schwartz & Orcutt (1978), as NCBI distributes it (program pam 1.0.6): 250 accepted mutations in
// 100, in thirds of a bit.
constexpr ScoreTable pam250{
    2,  // A
    -2, 6,  // R
    0, 0, 2,  // N
    0, -1, 2, 4,  // D
    -2, -4, -4, -5, 12,  // C
    0, 1, 1, 2, -5, 4,  // Q
    0, -1, 1, 3, -5, 2, 4,  // E
    1, -3, 0, 1, -3, -1, 0, 5,  // G
    -1, 2, 2, 1, -3, 3, 1, -2, 6,  // H
    -1, -2, -2, -2, -2, -2, -2, -3, -2, 5,  // I
    -2, -3, -3, -4, -6, -2, -3, -4, -2, 2, 6,  // L
    -1, 3, 1, 0, -5, 1, 0, -2, 0, -2, -3, 5,  // K
    -1, 0, -2, -3, -5, -1, -2, -3, -2, 2, 4, 0, 6,  // M
    -3, -4, -3, -6, -4, -5, -5, -5, -2, 1, 2, -5, 0, 9,  // F
    1, 0, 0, -1, -3, 0, -1, 0, 0, -2, -3, -1, -2, -5, 6,  // P
    1, 0, 1, 0, 0, -1, 0, 1, -1, -1, -3, 0, -2, -3, 1, 2,  // S
    1, -1, 0, 0, -2, -1, 0, 0, -1, 0, -2, 0, -1, -3, 0, 1, 3,  // T
    -6, 2, -4, -7, -8, -5, -7, -7, -3, -5, -2, -3, -4, 0, -6, -2, -5, 17,  // W
    -3, -4, -2, -4, 0, -4, -4, -5, 0, -1, -1, -4, -2, 7, -5, -3, -3, 0, 10,  // Y
    0, -2, -2, -2, -2, -2, -2, -1, -2, 4, 2, -2, 2, -1, -1, -1, 0, -6, -2, 4,  // V
};

// clang-format on

struct ScoreMatrix {
  const char* name;
  const ScoreTable& scores;
};
constexpr ScoreMatrix score_tables[] = {{"blosum62", blosum62}, {"blosum50", blosum50}, {"pam250", pam250}};

Matrix symmetric_scores(const ScoreTable& lower) {
  Matrix s(plain_letters, plain_letters);
  size_t at = 0;
  for (Index i = 0; i < plain_letters; ++i)
    for (Index j = 0; j <= i; ++j) s(i, j) = s(j, i) = lower[at++];
  return s;
}

/// Rows are the letters as vectors: V max(lambda, 0)^1/2 of S = V lambda V', then the means.
Matrix letter_vectors(const ScoreTable& scores) {
  const auto all = static_cast<Index>(amino_acids.size());
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(symmetric_scores(scores));
  Matrix v = Matrix::Zero(all, plain_letters + 3);
  v.topLeftCorner(plain_letters, plain_letters) =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  const auto row = [&](char letter) { return v.row(static_cast<Index>(amino_acids.find(letter))); };
  row('B') = (row('D') + row('N')) / 2;
  row('Z') = (row('E') + row('Q')) / 2;
  row('J') = (row('I') + row('L')) / 2;
  row('X')[plain_letters] = row('*')[plain_letters + 1] = row('-')[plain_letters + 2] = 1;
  return v;
}

}  // namespace

std::vector<std::string> score_matrices() {
  std::vector<std::string> names;
  for (const ScoreMatrix& m : score_tables) names.emplace_back(m.name);
  return names;
}

Matrix amino_acid_similarity(std::string_view matrix) {
  const ScoreMatrix* found = score_tables;
  for (const ScoreMatrix& m : score_tables)
    if (m.name == matrix) found = &m;
  Matrix v = letter_vectors(found->scores);
  v.rowwise().normalize();
  Matrix r(v.rows(), v.rows());
  for (Index i = 0; i < r.rows(); ++i)
    for (Index j = 0; j <= i; ++j) r(i, j) = r(j, i) = i == j ? 1 : v.row(i).dot(v.row(j));
  return r;
}

}  // namespace covary::internal
