// Model files in the layout of safetensors: the same bits, no factorization, nothing damaged is believed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "covary/base/error.h"
#include "covary/kernels/expression.h"
#include "covary/model/model_file.h"
#include "support.h"

namespace covary::binary_model_test {
namespace {

namespace fs = std::filesystem;
using test::same_bits;

/// n rows of two columns, far from 0 if asked; every tenth input comes twice.
FittedModel model(Index n, const std::string& kernel, const Noise& noise, double offset = 0,
                  const std::string& inference = "exact()") {
  Matrix x = test::random_points(5, n, 2);
  x.array() += offset;
  for (Index i = 10; i < n; i += 10) x.row(i) = x.row(i - 10);
  const Vector y = test::random_targets(6, x);
  Request request;
  request.kernel = kernel, request.noise = "given", request.mean = "constant", request.inference = inference;
  return fit(request, {x, y, {"a", "depth of sea"}, "y", noise});
}

class BinaryModel : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("covary-binary-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    path_ = folder_ / "m.covary";
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string bytes_of(const FittedModel& m) const {
    save_model(m, path_);
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// What is said of a file with these bytes; "" if it is read.
  std::string refusal(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), std::ssize(bytes));
    try {
      (void)load_model(path_);
    } catch (const Error& e) {
      EXPECT_EQ(e.problem(), Problem::data) << e.what();
      return e.what();
    }
    return "";
  }
  fs::path folder_;
  std::string path_;
};

TEST_F(BinaryModel, TheSameBitsAfterwards) {
  const Matrix at = test::random_points(7, 40, 2);
  const Noise rows = Noise::rows(Vector::LinSpaced(300, 0.1, 0.5));
  for (const FittedModel& m :
       {model(300, "fixed(1.3 * matern52(lengthscale=0.7))", Noise::of(0.1)),
        model(300, "fixed(se(lengthscale=2) + linear(lengthscale=3))", Noise::of(0.1), 1e4),
        model(300, "fixed(se(lengthscale=0.5))", rows),
        model(40, "fixed(se(lengthscale=0.5))", Noise::of(0.2)),
        model(300, "fixed(se(lengthscale=0.5))", Noise::of(0.2), 0, "inducing(points=20)")}) {
    SCOPED_TRACE(m->kernel + " " + m->request.inference);
    save_model(m, path_);
    const FittedModel back = load_model(path_);
    EXPECT_EQ(model_text(back), model_text(m)) << "the record";
    const Prediction a = m.predict(at, Of::f), b = back.predict(at, Of::f);
    EXPECT_TRUE(same_bits(a.mean, b.mean) && same_bits(a.sd, b.sd));
    EXPECT_EQ(back.process().log_evidence(), m.process().log_evidence());
    EXPECT_TRUE(same_bits(back.leave_one_out().mean, m.leave_one_out().mean));
    EXPECT_EQ(back.notes(), m.notes());
    const Matrix more = test::random_points(8, 3, 2);
    if (m->noise.is_given()) {
      EXPECT_TRUE(same_bits(told(back, more, Vector::Ones(3)).predict(at).sd,
                            told(m, more, Vector::Ones(3)).predict(at).sd));
    }
  }
}

TEST_F(BinaryModel, LinearModelsToo) {
  Request request;
  request.model = "bayes", request.noise = "learn";
  const Matrix x = test::random_points(5, 30, 2);
  const FittedModel m = fit(request, {x, test::random_targets(6, x), {"a", "b"}});
  save_model(m, path_);
  const FittedModel back = load_model(path_);
  EXPECT_EQ(model_text(back), model_text(m));
  EXPECT_TRUE(same_bits(back.predict(x, Of::y).sd, m.predict(x, Of::y).sd));
  ASSERT_EQ(back.summary().coefficients.size(), 3U) << "which the file does not keep";
  for (size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(back.summary().coefficients[j].value, m.summary().coefficients[j].value);
    EXPECT_EQ(back.summary().coefficients[j].sd, m.summary().coefficients[j].sd);
  }
}

/// A state that is not the posterior's shows: it is what answers, and nothing is factorized beside it.
TEST_F(BinaryModel, TheFactorOfTheFileAnswers) {
  const FittedModel m = model(300, "fixed(se(lengthscale=0.7))", Noise::of(0.1));
  const PosteriorState state = *m.process().posterior()->state();
  std::vector<Vector> columns;
  state.factor.for_columns([&](std::span<const double> c) {
    columns.push_back(2 * Eigen::Map<const Vector>(c.data(), std::ssize(c)));
  });
  size_t next = 0;
  const Factor doubled =
      Factor::from_columns(state.factor.size(), state.factor.conditioning(), [&](std::span<double> c) {
        std::copy(columns[next].begin(), columns[next].end(), c.begin());
        ++next;
      });
  const FittedModel other(m.record(), PosteriorState{doubled, state.whole});
  EXPECT_NEAR(other.process().coefficients()[0], m.process().coefficients()[0], 1e-12) << "any factor's";
  const auto log_determinant = [](const FittedModel& of) {
    return of.process().posterior()->state()->factor.log_determinant();
  };
  EXPECT_NEAR(log_determinant(other), log_determinant(m) + double(state.factor.size()) * std::log(4.0), 1e-8);
  EXPECT_FALSE(same_bits(other.predict(m->x).sd, m.predict(m->x).sd));
}

TEST_F(BinaryModel, TheLayoutIsThatOfSafetensors) {
  const FittedModel m = model(300, "fixed(se(lengthscale=0.7))", Noise::of(0.1));
  const std::string bytes = bytes_of(m);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U) << "arrays are aligned";
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  for (const auto& [key, value] : header.at("__metadata__").items()) EXPECT_TRUE(value.is_string()) << key;
  const auto& x = header.at("x");
  EXPECT_EQ(x.at("dtype"), "F64");
  EXPECT_EQ(x.at("shape"), nlohmann::json({300, 2}));
  double second = 0;  // rows before columns
  std::memcpy(&second, bytes.data() + 8 + length + x.at("data_offsets").at(0).get<size_t>() + 8, 8);
  EXPECT_EQ(second, m->x(0, 1));
  const auto n = m.process().distinct();
  EXPECT_EQ(header.at("factor").at("shape"), nlohmann::json({n * (n + 1) / 2}));
  EXPECT_EQ(bytes.size(), 8 + length + header.at("factor").at("data_offsets").at(1).get<size_t>());
}

/// What is made to be written is small beside the arrays.
TEST_F(BinaryModel, NothingIsCopiedToBeWritten) {
  const FittedModel m = model(300, "fixed(se(lengthscale=0.7))", Noise::of(0.1));
  for (const char* name : {"m.covary", "m.json"}) {
    size_t largest = 0, all = 0;
    internal::write_model(m, name, [&](std::string_view part) {
      largest = std::max(largest, part.size()), all += part.size();
    });
    EXPECT_LT(largest, 65536U) << name;
    EXPECT_GT(all, 10000U) << name;
  }
}

TEST_F(BinaryModel, CutShortOrWithMoreBehindIt) {
  const std::string bytes = bytes_of(model(12, "fixed(se(lengthscale=0.7))", Noise::of(0.1)));
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_NE(refusal(bytes.substr(0, n)), "") << n;
  EXPECT_NE(refusal(bytes + "0"), "");
}

TEST_F(BinaryModel, AnyBitFlipped) {
  const FittedModel m = model(12, "fixed(se(lengthscale=0.7))", Noise::of(0.1));
  const std::string bytes = bytes_of(m), text = model_text(m);
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      if (refusal(damaged) != "") continue;
      EXPECT_EQ(model_text(load_model(path_)), text)  // a blank of the header, read as another
          << "byte " << i << " bit " << bit;
    }
}

TEST_F(BinaryModel, ADamagedFactorIsNotBelieved) {
  const std::string bytes = bytes_of(model(300, "fixed(se(lengthscale=0.7))", Noise::of(0.1)));
  for (size_t at = bytes.size() - 1; at > bytes.size() - 200000; at -= 9973) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_NE(refusal(damaged).find("the checksum of 'factor' does not match"), std::string::npos) << at;
  }
}

/// Sizes that do not agree are refused before anything of that size is made.
TEST_F(BinaryModel, SizesThatLie) {
  const std::string bytes = bytes_of(model(12, "fixed(se(lengthscale=0.7))", Noise::of(0.1)));
  const auto edited = [&](const std::string& from, const std::string& to) {
    std::string other = bytes;
    const size_t at = other.find(from);
    EXPECT_NE(at, other.npos) << from;
    other.replace(at, from.size(), to);
    std::uint64_t length = 0;
    std::memcpy(&length, other.data(), 8);
    length += to.size() - from.size();
    std::memcpy(other.data(), &length, 8);
    return refusal(other);
  };
  EXPECT_NE(edited("\"shape\":[12,2]", "\"shape\":[1200000000000,2]").find("'x'"), std::string::npos);
  EXPECT_NE(edited("\"shape\":[12,2]", "\"shape\":[4000000000000000000,4000000000000000000]").find("'x'"),
            std::string::npos);
  EXPECT_NE(edited("\"F64\"", "\"F32\"").find("expected dtype F64"), std::string::npos);
  EXPECT_NE(edited("\"target\\\":\\\"y\\\"", "\"target\\\":\\\"z\\\"").find("checksum"), std::string::npos);
  std::string huge = bytes;
  const std::uint64_t length = std::uint64_t{1} << 60;
  std::memcpy(huge.data(), &length, 8);
  EXPECT_NE(refusal(huge), "");
}

}  // namespace
}  // namespace covary::binary_model_test
