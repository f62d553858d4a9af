// Kernels over text on real sequences: melting temperatures of PETase mutants, promoters of E. coli.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "covary/kernels/expression.h"
#include "covary/learn/fit.h"
#include "covary/svm/classifier.h"
#include "kernels/strings/text_support.h"

namespace covary::test::real_sequences_test {
namespace {

/// The fields of a table without quotes, by rows.
std::vector<Texts> table(const std::string& name) {
  std::ifstream in(std::string(COVARY_SHARED_DATA "/structured/") + name);
  std::vector<Texts> rows;
  for (std::string line; std::getline(in, line);) {
    rows.emplace_back();
    size_t from = 0;
    for (size_t comma = 0; comma != std::string::npos; from = comma + 1) {
      comma = line.find(',', from);
      rows.back().push_back(line.substr(from, comma - from));
    }
  }
  return rows;
}

#define SKIP_WITHOUT_SEQUENCES(name)                                    \
  if (!std::filesystem::exists(COVARY_SHARED_DATA "/structured/" name)) \
  GTEST_SKIP() << name " is not in " COVARY_SHARED_DATA "/structured"

struct Mutants {
  Texts sequence;
  Vector fitness;
};

Mutants mutants() {
  const std::vector<Texts> rows = table("petase_mutants.csv");
  Mutants m{{}, Vector(std::ssize(rows) - 1)};
  for (size_t i = 1; i < rows.size(); ++i) {
    m.sequence.push_back(rows[i][2]);
    m.fitness[Index(i) - 1] = std::stod(rows[i][4]);
  }
  return m;
}

/// Leave-one-out error of a fitted process in standard deviations of the target.
double left_out(const std::string& kernel, const Mutants& m) {
  const FitResult<std::string> f = fit<std::string>({parse<std::string>(kernel)}, m.sequence, m.fitness);
  const double sd = std::sqrt((m.fitness.array() - m.fitness.mean()).square().mean());
  return f.process.leave_one_out().rmse / sd;
}

TEST(RealSequences, MutantsArePredictedFromTheirSequence) {
  SKIP_WITHOUT_SEQUENCES("petase_mutants.csv");
  const Mutants m = mutants();
  ASSERT_EQ(m.sequence.size(), 151U);
  for (const char* kernel : {"hamming()", "substitution()", "spectrum(k=3)"})
    EXPECT_LT(left_out(kernel, m), 0.5) << kernel;
}

struct Promoters {
  Texts sequence;
  std::vector<Index> label;
};

Promoters promoters() {
  Promoters p;
  for (const Texts& row : table("promotergene.csv"))
    if (row[1] == "+" || row[1] == "-") p.sequence.push_back(row[0]), p.label.push_back(row[1] == "+");
  return p;
}

/// Share of promoters told right by a classifier trained on the other nine tenths.
double tenfold_accuracy(const Kernel<std::string>& k, const Promoters& p) {
  const auto n = std::ssize(p.sequence);
  Random rng(1);
  std::vector<Index> order = internal::all_indices(n);
  for (Index i = n - 1; i > 0; --i) std::swap(order[size_t(i)], order[size_t(rng.integer(i + 1))]);
  Index right = 0;
  for (Index fold = 0; fold < 10; ++fold) {
    std::vector<Index> train, test;
    for (Index i = 0; i < n; ++i) (i % 10 == fold ? test : train).push_back(order[size_t(i)]);
    std::vector<Index> label;
    for (const Index i : train) label.push_back(p.label[size_t(i)]);
    const auto c = Classifier<std::string>::train(k, pick(p.sequence, train), label, {.penalty = 10});
    const std::vector<Index> said = c.predict(pick(p.sequence, test));
    for (size_t i = 0; i < test.size(); ++i) right += said[i] == p.label[size_t(test[i])];
  }
  return double(right) / double(n);
}

TEST(RealSequences, PromotersAreToldApart) {
  SKIP_WITHOUT_SEQUENCES("promotergene.csv");
  const Promoters p = promoters();
  ASSERT_EQ(p.sequence.size(), 106U);
  for (const char* kernel :
       {"hamming(lengthscale=20)", "spectrum(k=4)", "mismatch(k=5, m=1)", "subsequence(n=4, decay=0.5)"}) {
    const double share = tenfold_accuracy(parse<std::string>(kernel), p);
    EXPECT_GT(share, 0.8) << kernel;
  }
}

}  // namespace
}  // namespace covary::test::real_sequences_test
