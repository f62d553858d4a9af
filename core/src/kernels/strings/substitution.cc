// Aligned proteins, with the similarity of amino acids from a substitution matrix.
#include "covary/kernels/registry.h"
#include "covary/kernels/strings/strings.h"
#include "kernels/strings/aligned.h"
#include "kernels/strings/amino_acids.h"

namespace covary {
using namespace internal;
namespace {

constexpr size_t letter_stride = 32;

struct AminoAcidLetters {
  static constexpr const char* name = "substitution";
  std::string matrix;
  std::vector<double> table;  // 1 - R, a row of letter_stride for each letter

  explicit AminoAcidLetters(std::string which)
      : matrix(std::move(which)), table(letter_stride * letter_stride, 0.0) {
    const Matrix r = amino_acid_similarity(matrix);
    for (Index i = 0; i < r.rows(); ++i)
      for (Index j = 0; j < r.cols(); ++j) table[size_t(i) * letter_stride + size_t(j)] = 1 - r(i, j);
  }
  std::vector<Argument> settings() const { return {{"matrix", {}, false, {}, matrix}}; }
  static std::vector<unsigned char> codes(const std::string& text) {
    std::vector<unsigned char> all;
    all.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i) {
      const char upper = text[i] >= 'a' && text[i] <= 'z' ? char(text[i] - 'a' + 'A') : text[i];
      const size_t code = amino_acids.find(upper);
      if (code == std::string_view::npos)
        throw Error(Problem::data,
                    fmt::format("substitution: the letters of a protein are {}, found '{}' at position {}",
                                amino_acids, text[i], i + 1));
      all.push_back(static_cast<unsigned char>(code));
    }
    return all;
  }
  double difference(unsigned char x, unsigned char z) const { return table[x * letter_stride + z]; }
  double differences(const std::vector<unsigned char>& x, const std::vector<unsigned char>& z) const {
    double sum = 0;
    for (size_t p = 0; p < x.size(); ++p) sum += difference(x[p], z[p]);
    return sum;
  }
};

}  // namespace

Kernel<std::string> substitution(const std::string& matrix, Vector lengthscale) {
  const std::vector<std::string> known = score_matrices();
  if (std::find(known.begin(), known.end(), matrix) == known.end())
    throw Error(Problem::usage,
                fmt::format("substitution: there is no matrix '{}'{}", matrix, did_you_mean(matrix, known)));
  return Aligned<AminoAcidLetters>{AminoAcidLetters(matrix),
                                   Lengthscale::checked("substitution", std::move(lengthscale))};
}

namespace string_entries {
Entry<std::string> substitution();
Entry<std::string> substitution() {
  return {"substitution",
          "exp(-sum_p (1 - R(x_p, z_p))/lengthscale_p), R a similarity of amino acids",
          "aligned proteins of one length: matrix=blosum62, blosum50 or pam250",
          {"matrix", "lengthscale"},
          [](const Arguments& a) {
            return covary::substitution(a.word("matrix", score_matrices()), a.vector("lengthscale"));
          },
          0,
          Nature::local,
          Reads::numbers,
          {"matrix"}};
}
}  // namespace string_entries

}  // namespace covary
