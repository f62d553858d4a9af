#include "covary/model/classifier_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "covary/model/model_file.h"
#include "support.h"

namespace covary::classifier_file_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

SavedClassifier example(double penalty = 10) {
  SavedClassifier s;
  s.x = test::random_points(1, 30, 2);
  for (Index i = 0; i < 30; ++i) s.label.push_back(s.x(i, 0) > 0.5 ? 2 : s.x(i, 1) > 0 ? 1 : 0);
  s.kernel = "2 * se(lengthscale=[0.7, 1.5])", s.asked = "se()";
  s.options.penalty = penalty;
  s.features = {"a", "b \"c\""};
  s.classes = {std::string("dry"), std::string("wet, \u00e4"), std::string("ice")};
  return s;
}

TEST(ClassifierFile, ComesBackToTheSameBits) {
  const Matrix at = test::random_points(2, 40, 2);
  for (const double penalty : {0.3, 10.0, infinity}) {
    const SavedClassifier s = example(penalty), t = internal::parse_classifier(internal::classifier_text(s));
    EXPECT_EQ(t.kernel, s.kernel);
    EXPECT_EQ(t.asked, s.asked);
    EXPECT_EQ(t.options.penalty, penalty);
    EXPECT_EQ(t.options.tolerance, s.options.tolerance);
    EXPECT_EQ(t.features, s.features);
    EXPECT_EQ(t.classes, s.classes);
    EXPECT_EQ(t.label, s.label);
    EXPECT_TRUE(test::same_bits(t.x, s.x));
    EXPECT_TRUE(
        test::same_bits(internal::restored(t, 1).decision(at), internal::restored(s, 1).decision(at)));
    EXPECT_EQ(internal::classifier_text(t), internal::classifier_text(s));
  }
}

TEST(ClassifierFile, NamesOfAnyKind) {
  SavedClassifier s = example();
  for (const std::vector<internal::ClassName>& names :
       {std::vector<internal::ClassName>{false, true, std::string("x")},
        std::vector<internal::ClassName>{std::int64_t{-3}, std::int64_t{0}, std::int64_t{9007199254740993}},
        std::vector<internal::ClassName>{0.1, 2.5, 1e300}}) {
    s.classes = names;
    EXPECT_EQ(internal::parse_classifier(internal::classifier_text(s)).classes, names);
  }
}

TEST(ClassifierFile, AnyChangedOrMissingByteIsRefused) {
  const std::string text = internal::classifier_text(example());
  for (size_t i = 0; i < text.size(); i += 7) {
    std::string bad = text;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_THROW(internal::parse_classifier(bad), Error) << i;
    EXPECT_THROW(internal::parse_classifier(text.substr(0, i)), Error) << i;
  }
}

std::string refused(const std::string& text) {
  return test::error_of([&] { internal::parse_classifier(text, "c.json"); }, Problem::data);
}

TEST(ClassifierFile, SaysWhatIsWrong) {
  EXPECT_EQ(refused(""), "c.json: the file is empty");
  EXPECT_EQ(refused("x,y\n1,2\n"), "c.json: not a Covary classifier file, or damaged, or cut short");
  EXPECT_EQ(refused("{}"), "c.json: not a Covary classifier file: its format is not \"covary classifier\"");
  std::string newer = internal::classifier_text(example());
  newer.replace(newer.find("\"version\":1"), 11, "\"version\":9");
  EXPECT_NE(refused(newer).find(" or newer: its version is 9, this program"), std::string::npos);
  EXPECT_EQ(refused(R"({"format":"covary model","version":3})"),
            "c.json: is a model of numbers, expected a Covary classifier file");
  EXPECT_NE(refused(std::string(100000, '[')).find("too deep"), std::string::npos);
}

TEST(ClassifierFile, PartsThatDoNotGoTogetherAreNotWritten) {
  const auto says = [](const std::function<void(SavedClassifier&)>& spoil) {
    SavedClassifier s = example();
    spoil(s);
    return test::error_of([&] { internal::classifier_text(s); }, Problem::usage);
  };
  EXPECT_EQ(says([](SavedClassifier& s) { s.label[3] = 3; }), "expected a class from 0 to 2, found 3");
  EXPECT_EQ(says([](SavedClassifier& s) { s.label.pop_back(); }), "expected 30 labels, found 29");
  EXPECT_EQ(says([](SavedClassifier& s) { s.features.pop_back(); }), "expected 1 columns of points, found 2");
  EXPECT_EQ(says([](SavedClassifier& s) { s.x(2, 1) = infinity; }), "a point is not finite");
  EXPECT_NE(says([](SavedClassifier& s) { s.options.penalty = -1; }).find("penalty"), std::string::npos);
}

// 4 TiB that begin as ours do, most of them a hole: refused before they are read.
TEST(ClassifierFile, LargerThanMemoryIsRefused) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("covary-large-" + std::to_string(::getpid()));
  std::ofstream(path) << internal::classifier_text(example());
  std::error_code unable;
  std::filesystem::resize_file(path, std::uintmax_t{1} << 42, unable);
  if (!unable) {
    const std::string needs = "file of 4.19e+06 MiB needs";
    EXPECT_NE(test::error_of([&] { load_classifier(path); }, Problem::limit).find(needs), std::string::npos);
    EXPECT_NE(test::error_of([&] { load_model(path); }, Problem::limit).find(needs), std::string::npos);
  }
  std::filesystem::remove(path);
  if (unable) GTEST_SKIP() << "no file of 4 TiB can be made here: " << unable.message();
}

// Who gives it to a verb of models is told what it is.
TEST(ClassifierFile, IsNoModelAndSaysSo) {
  EXPECT_EQ(
      test::error_of([] { parse_model(internal::classifier_text(example()), "c.json"); }, Problem::data),
      "c.json: is a classifier (support vector machines of classes), expected a model of numbers; Python's "
      "Classifier.load reads it");
}

}  // namespace
}  // namespace covary::classifier_file_test
