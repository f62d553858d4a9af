// Every registered kernel over text: the properties of all kernels, its expression, and what it refuses.
#include <gtest/gtest.h>

#include <set>

#include "conformance.h"
#include "covary/kernels/strings/strings.h"
#include "kernels/strings/text_support.h"

namespace covary::test::registry_of_strings_test {
namespace {

bool is_aligned(const std::string& name) { return name == "hamming" || name == "substitution"; }

/// Points that an entry takes.
Texts texts_for(const std::string& name, std::uint64_t seed, Index n) {
  if (is_aligned(name)) {
    Texts all = random_texts(seed, n, 6, 6, "ACDWYXB-");
    all.insert(all.end(), {all[0], all[1]});
    return all;
  }
  return with_odd_texts(random_texts(seed, n, 0, 14, "acgt"));
}

/// Expressions of each entry with all that can be said: numbers are drawn.
std::vector<std::string> calls(const std::string& name, Random& rng) {
  const std::string u = std::to_string(0.05 + 0.9 * rng.uniform()),
                    l = std::to_string(0.5 + 5 * rng.uniform());
  if (name == "constant") return {"constant(variance=" + l + ")"};
  if (name == "spectrum")
    return {"spectrum(k=1)", "spectrum(k=3, normalized=no)", "spectrum(k=9)", "spectrum(k=1..3)",
            "spectrum(k=1..3, measure=minmax)"};
  if (name == "mismatch")
    return {"mismatch()", "mismatch(k=3, m=1, alphabet=dna)",
            "mismatch(k=2, m=1, alphabet=dna, normalized=no)", "mismatch(k=5, m=2)", "mismatch(k=9, m=1)"};
  if (name == "subsequence")
    return {"subsequence(n=1, decay=" + u + ")", "subsequence(n=3, decay=" + u + ")",
            "subsequence(n=4, normalized=no, decay=" + u + ")"};
  if (name == "hamming")
    return {"hamming(lengthscale=" + l + ")", "hamming(lengthscale=[1, 2, 3, 4, 5, " + l + "])"};
  if (name == "substitution")
    return {"substitution(matrix=blosum62, lengthscale=" + l + ")",
            "substitution(matrix=pam250, lengthscale=[1, 2, 3, 4, 5, " + l + "])",
            "substitution(matrix=blosum50, lengthscale=" + l + ")"};
  ADD_FAILURE() << "no expression of " << name;
  return {};
}

TEST(StringKernels, EveryOneConforms) {
  Random rng(1);
  for (const Entry<std::string>& e : registry<std::string>()) {
    const Texts a = texts_for(e.name, 2, 36), b = texts_for(e.name, 3, 26);
    for (const std::string& call : calls(e.name, rng))
      expect_conforms<std::string>(parse<std::string>(call), a, b);
  }
}

TEST(StringKernels, CompositesConform) {
  const Texts a = texts_for("hamming", 4, 36), b = texts_for("hamming", 5, 26);
  const Kernel<std::string> k = parse<std::string>(
      "2 * spectrum(k=2) * subsequence(n=2, decay=0.4) + substitution(lengthscale=fixed(2)) + "
      "hamming(lengthscale=3 in 1..9) * mismatch(k=3)");
  expect_conforms<std::string>(k, a, b);
  EXPECT_EQ(k.theta().size(), 3);
}

TEST(StringKernels, EveryEntrySaysWhatItIs) {
  std::set<std::string> names;
  for (const Entry<std::string>& e : registry<std::string>()) {
    names.insert(e.name);
    EXPECT_FALSE(e.formula.empty() || e.about.empty()) << e.name;
    for (const std::string& s : e.settings)
      EXPECT_NE(std::find(e.parameters.begin(), e.parameters.end(), s), e.parameters.end()) << e.name << s;
  }
  EXPECT_EQ(names, (std::set<std::string>{"constant", "spectrum", "mismatch", "subsequence", "hamming",
                                          "substitution"}));
}

/// What is printed is read back as the same kernel, and as little as possible is printed.
TEST(StringKernels, TextIsReadBack) {
  for (const char* text :
       {"spectrum(k=3)", "spectrum(k=1..3)", "spectrum(k=2, normalized=no)", "mismatch(k=4, m=1)",
        "mismatch(k=5, m=2, alphabet=protein)", "mismatch(k=3, m=0, alphabet=rna, normalized=no)",
        "subsequence(n=3)", "subsequence(n=2, decay=0.25)", "subsequence(n=2, normalized=no, decay=0.25)",
        "hamming()", "hamming(lengthscale=[1, 2])", "substitution(matrix=blosum62)",
        "substitution(matrix=pam250, lengthscale=4)", "subsequence(n=2, decay=0.1..0.9)",
        "subsequence(n=2, decay=fixed(0.5))"})
    EXPECT_EQ(parse<std::string>(text).text(), text);
  EXPECT_EQ(spectrum(1, 3).text(), "spectrum(k=1..3)");
  EXPECT_EQ(spectrum().text(), "spectrum(k=3)");
  EXPECT_EQ(mismatch(3, 1, "dna").text(), "mismatch(k=3, m=1, alphabet=dna)");
  EXPECT_EQ(substitution().text(), "substitution(matrix=blosum62)");
}

/// Unity of the two ways to make a kernel.
TEST(StringKernels, ExpressionsAndFunctionsMakeTheSameKernel) {
  const Texts x = texts_for("hamming", 6, 12);
  const auto same = [&](const std::string& text, const Kernel<std::string>& k) {
    EXPECT_TRUE(same_bits(parse<std::string>(text).cross(x, x), k.cross(x, x))) << text;
    EXPECT_EQ(parse<std::string>(text).text(), k.text());
  };
  same("spectrum(k=2)", spectrum(2));
  same("mismatch(k=3, m=2)", mismatch(3, 2));
  same("subsequence(n=2, decay=0.3)", subsequence(2, 0.3));
  same("hamming(lengthscale=2)", hamming(Vector::Constant(1, 2)));
  same("substitution(matrix=pam250, lengthscale=2)", substitution("pam250", Vector::Constant(1, 2)));
}

TEST(StringKernels, MistakesAreToldByName) {
  const auto usage = [](const std::string& text) {
    return error_of([&] { parse<std::string>(text); }, Problem::usage);
  };
  EXPECT_NE(usage("spectrum(k=2..15)").find("found 2..15"), std::string::npos);
  EXPECT_NE(usage("mismatch(k=1..3)").find("k is not learned"), std::string::npos);
  EXPECT_NE(usage("spectrum(k=15)").find("from 1 to 14"), std::string::npos);
  EXPECT_NE(usage("spectrum(normalized=maybe)").find("yes, no"), std::string::npos);
  EXPECT_NE(usage("mismatch(k=3, m=3)").find("m must be a whole number from 0 to 2"), std::string::npos);
  EXPECT_NE(usage("mismatch(alphabet=latin)").find("dna"), std::string::npos);
  EXPECT_NE(usage("subsequence(decay=1)").find("between 0 and 1, found 1"), std::string::npos);
  EXPECT_NE(usage("subsequence(n=0)").find("n must be"), std::string::npos);
  EXPECT_NE(usage("hamming(lengthscale=-1)").find("lengthscale"), std::string::npos);
  EXPECT_NE(usage("substitution(matrix=blosum63)").find("blosum62"), std::string::npos);
  EXPECT_NE(error_of([] { substitution("blosum63"); }, Problem::usage).find("did you mean 'blosum62'?"),
            std::string::npos);
  EXPECT_NE(error_of([] { mismatch(3, 1, "rma"); }, Problem::usage).find("did you mean 'rna'?"),
            std::string::npos);
  EXPECT_THROW(spectrum(3, 2), Error);
  EXPECT_THROW(mismatch(3, 3), Error);
}

TEST(StringKernels, UnknownParametersAreNamedWhenTheyAreNeeded) {
  const Texts x{"abc", "abd"};
  for (const char* text : {"subsequence()", "hamming()"})
    EXPECT_NE(error_of([&] { parse<std::string>(text).cross(x, x); }, Problem::usage).find("was not given"),
              std::string::npos);
}

}  // namespace
}  // namespace covary::test::registry_of_strings_test
