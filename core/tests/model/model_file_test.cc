// Model files: the same bits after a round trip, and nothing but an error from a file that is not as written.
#include "covary/model/model_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "covary/base/error.h"
#include "covary/base/output_file.h"
#include "covary/kernels/expression.h"
#include "model/sealed_json.h"

namespace covary::model_file_test {
namespace {

namespace fs = std::filesystem;

struct Example {
  Matrix x;
  Vector y;
  Matrix at;
};

Example example(Index n = 25, Index d = 2) {
  Random rng(7);
  Example e{rng.normal(n, d), Vector(n), rng.normal(40, d)};
  for (Index i = 0; i < n; ++i) e.y[i] = std::sin(e.x(i, 0)) + 0.1 * rng.normal();
  return e;
}

FitResult<Row> learned(const Example& e, const std::string& kernel, const std::string& mean,
                       const Noise& noise, const std::vector<std::string>& columns) {
  FitOptions options;
  options.starts = 1;
  options.columns = columns;
  return fit(Model<Row>{parse<Row>(kernel, columns), parse_mean(mean, columns), noise}, e.x, e.y, options);
}

FittedModel small_model() {
  const Example e = example(4, 1);
  return internal::fitted_model(learned(e, "fixed(1.3 * se(lengthscale=0.7))", "zero", Noise::of(0.1), {"a"}),
                                e.x, e.y, {"a"}, "y");
}

/// The points that a fit has moved stand in the file: without them others would be chosen.
TEST(ModelFile, KeepsTheInducingPointsOfAFit) {
  const Example e = example(60);
  FitOptions options;
  options.starts = 1;
  options.inference = "inducing(points=9)";
  const FitResult<Row> f = fit(Model<Row>{parse<Row>("matern52()")}, e.x, e.y, options);
  Request request;
  request.inference = options.inference;
  const FittedModel model = internal::fitted_model(f, e.x, e.y, {"a", "b"}, "y", request);
  ASSERT_EQ(model->variables.size(), 18);
  const FittedModel back = parse_model(model_text(model), "m.json");
  EXPECT_EQ(back->variables, model->variables);
  const Prediction p = back.predict(e.at), q = model.predict(e.at);
  EXPECT_EQ(p.mean, q.mean);
  EXPECT_EQ(p.sd, q.sd);
  ModelRecord chosen = back.record();
  chosen.variables = Vector(0);
  EXPECT_NE(FittedModel(chosen).predict(e.at).mean, q.mean);
}

std::string message(const std::string& text) {
  try {
    parse_model(text, "m.json");
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), Problem::data);
    return e.what();
  }
  return "no error";
}

void expect_same_bits(const Example& e, const std::string& kernel, const std::string& mean,
                      const Noise& noise) {
  const std::vector<std::string> columns{"temp", "depth of sea"};
  const FitResult<Row> fitted = learned(e, kernel, mean, noise, columns);
  const FittedModel before = internal::fitted_model(fitted, e.x, e.y, columns, "y");
  const FittedModel after = parse_model(model_text(before));
  const Prediction want = before.predict(e.at), got = after.predict(e.at);
  EXPECT_TRUE(got.mean == want.mean) << kernel;
  EXPECT_TRUE(got.sd == want.sd && got.sd.allFinite()) << kernel;
  EXPECT_EQ(model_text(before), model_text(after));
}

TEST(ModelFile, TheSameBitsAfterwards) {
  const Example e = example();
  expect_same_bits(e, "se()", "constant", Noise::learn());
  expect_same_bits(e, "matern52() + linear()", "linear", Noise::learn());
  expect_same_bits(e, "on(\"depth of sea\", se()) * on(temp, periodic()) + fixed(0.1)", "zero",
                   Noise::of(0.05));
  expect_same_bits(e, "rational_quadratic()", "polynomial(degree=2)",
                   Noise::rows(Vector::LinSpaced(25, 0.1, 0.3)));
  expect_same_bits(e, "fixed(2 * matern12(lengthscale=0.3))", "constant(0.3)", Noise::none());
}

TEST(ModelFile, TheSameBitsForHugeTargets) {
  Example e = example();
  e.y *= 1e300;
  expect_same_bits(e, "se()", "constant", Noise::learn());
  e.y *= 1e-300;
  e.y *= 1e-200;
  expect_same_bits(e, "se()", "constant", Noise::learn());
}

TEST(ModelFile, SaysWhatItHolds) {
  const FittedModel m = parse_model(model_text(small_model()));
  EXPECT_EQ(m->features, std::vector<std::string>{"a"});
  EXPECT_EQ(m->target, "y");
  EXPECT_EQ(m->kernel, "fixed(1.3 * se(lengthscale=0.7))");
  EXPECT_EQ(m->noise.variance, 0.1);
  EXPECT_EQ(m->written_by.substr(0, 7), "covary ");
}

TEST(ModelFile, KeepsWhatWasAskedAndWhatWasSaid) {
  const Example e = example();
  const FitResult<Row> f = learned(e, "se() + linear()", "constant", Noise::learn(), {"a", "b"});
  Request request;
  request.data = "data.csv", request.kernel = "se() + linear()", request.noise = "learn";
  request.prior = Prior::none, request.objective = ObjectiveKind::leave_one_out;
  request.starts = 3, request.seed = 99;
  const FittedModel m =
      parse_model(model_text(internal::fitted_model(f, e.x, e.y, {"a", "b"}, "y", request)));
  EXPECT_EQ(m->request.data, "data.csv");
  EXPECT_EQ(m->request.kernel, "se() + linear()");
  EXPECT_EQ(m->request.noise, "learn");
  EXPECT_EQ(m->request.prior, Prior::none);
  EXPECT_EQ(m->request.objective, ObjectiveKind::leave_one_out);
  EXPECT_EQ(m->request.starts, 3);
  EXPECT_EQ(m->request.seed, 99U);
  EXPECT_EQ(m->summary.log_marginal_likelihood, f.summary.log_marginal_likelihood);
  EXPECT_EQ(m->summary.loo_skill, f.summary.loo_skill);
  EXPECT_EQ(m->summary.noise_variance, f.summary.noise_variance);
  Summary without_time = f.summary;  // two fits of the same bits make the same file
  without_time.seconds = 0;
  EXPECT_EQ(m->summary.text(), without_time.text());
  EXPECT_EQ(m->summary.text().find(" s;"), std::string::npos) << "no time is told that nobody knows";
  EXPECT_EQ(m->summary.notes, f.summary.notes);
  ASSERT_EQ(m->summary.parameters.size(), f.summary.parameters.size());
  EXPECT_EQ(m->summary.parameters[1].name, f.summary.parameters[1].name);
  EXPECT_EQ(m->summary.parameters[1].value, f.summary.parameters[1].value);
  EXPECT_EQ(m->summary.parameters[1].flat, f.summary.parameters[1].flat);
}

TEST(ModelFile, RefreshedForTheSameRowsTheSummaryStays) {
  for (const double size : {1.0, 1e300, 1e-200}) {
    Example e = example();
    e.y *= size;
    const FitResult<Row> f = learned(e, "se()", "constant", Noise::learn(), {"a", "b"});
    ModelRecord unsaid = internal::fitted_model(f, e.x, e.y, {"a", "b"}).record();
    unsaid.summary = {};
    const FittedModel m = with_rows(FittedModel(unsaid), e.x, e.y);
    EXPECT_EQ(m->summary.n, f.summary.n);
    EXPECT_EQ(m->summary.distinct, f.summary.distinct);
    EXPECT_EQ(m->summary.noise, f.summary.noise);
    EXPECT_EQ(m->summary.log_marginal_likelihood, f.summary.log_marginal_likelihood);
    EXPECT_EQ(m->summary.loo_nlpd, f.summary.loo_nlpd);
    EXPECT_NEAR(m->summary.loo_rmse / f.summary.loo_rmse, 1, 1e-12);
    EXPECT_NEAR(m->summary.loo_skill, f.summary.loo_skill, 1e-12);
    EXPECT_EQ(m->summary.reciprocal_condition, f.summary.reciprocal_condition);
  }
}

TEST(ModelFile, TheDataHashSeesEveryBit) {
  Example e = example();
  const std::string before = internal::data_hash(e.x, e.y);
  EXPECT_EQ(before, internal::data_hash(Matrix(e.x), e.y));
  e.x(3, 1) = std::nextafter(e.x(3, 1), 1e9);
  EXPECT_NE(before, internal::data_hash(e.x, e.y));
}

// Files that earlier versions wrote, and what they predicted.
TEST(ModelFile, Version1) {
  const FittedModel m = load_model(COVARY_TEST_DATA "/golden/model_v1.json");
  EXPECT_NEAR(m.predict(Matrix::Constant(1, 1, 8)).mean[0], 0.23283682241990783, 1e-14);
  EXPECT_NEAR(m.predict(Matrix::Constant(1, 1, 8)).sd[0], 1.2649109901772366, 1e-14);
  EXPECT_NEAR(m.process().log_evidence(), -18.237265099985876, 1e-12);
  EXPECT_EQ(m->summary.log_marginal_likelihood, -18.237265099985876);
  EXPECT_EQ(m->summary.loo_rmse, 1.271113139007578);
}

TEST(ModelFile, Version1WithNoisePerRow) {
  const FittedModel m = load_model(COVARY_TEST_DATA "/golden/model_v1_rows.json");
  EXPECT_EQ(m->features, (std::vector<std::string>{"x", "depth of sea"}));
  const Prediction p = m.predict((Matrix(1, 2) << 8, 1.25).finished());
  EXPECT_NEAR(p.mean[0], 1.4395045959017683, 1e-12);
  EXPECT_NEAR(p.sd[0], 0.8878600156947211, 1e-12);
}

TEST(ModelFile, Version2) {
  const FittedModel m = load_model(COVARY_TEST_DATA "/golden/model_v2.json");
  EXPECT_EQ(m->request.kernel, "se(lengthscale=[1,2])");
  EXPECT_EQ(m->request.model, "gp");
  EXPECT_EQ(m->summary.model, "gp");
  const Prediction p = m.predict((Matrix(1, 2) << 1.5, 0.5).finished());
  EXPECT_NEAR(p.mean[0], 1.31483415634521, 1e-14);
  EXPECT_NEAR(p.sd[0], 0.38551248332148724, 1e-14);
}

/// What versions 3 to 6 lack is what is erased here: transform and ignored columns, the inference, its variables,
/// types of columns.
TEST(ModelFile, Versions3To6) {
  const Example e = example();
  const FittedModel now = internal::fitted_model(learned(e, "se()", "constant", Noise::learn(), {"a", "b"}),
                                                 e.x, e.y, {"a", "b"});
  const SealedFormat newest{.name = "covary model", .newest = 7, .what = "a model", .checked_from = 2};
  for (int version = 3; version <= 6; ++version) {
    nlohmann::ordered_json j = opened(model_text(now), newest, "m.json").model;
    EXPECT_FALSE(j.contains("schema"));
    if (version < 6) j.erase("variables");
    if (version < 5) j["asked"].erase("inference");
    if (version < 4) j["asked"].erase("transform"), j.erase("ignored");
    SealedFormat old = newest;
    old.newest = version;
    const FittedModel back = parse_model(sealed(old, j), "m.json");
    EXPECT_EQ(back.predict(e.at).mean, now.predict(e.at).mean) << version;
    EXPECT_EQ(back.predict(e.at).sd, now.predict(e.at).sd) << version;
    EXPECT_EQ(back->request.inference, "exact()");
  }
}

TEST(ModelFile, CutShortAnywhere) {
  const std::string text = model_text(small_model());
  for (size_t n = 0; n < text.size(); ++n) EXPECT_THROW(parse_model(text.substr(0, n)), Error) << n;
}

TEST(ModelFile, AnyBitFlipped) {
  const std::string text = model_text(small_model());
  for (size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      EXPECT_THROW(parse_model(damaged), Error) << "byte " << i << " bit " << bit;
    }
  }
}

TEST(ModelFile, NewerVersion) {
  std::string text = model_text(small_model());
  text.replace(text.find("\"version\":7"), 11, "\"version\":8");
  EXPECT_TRUE(message(text).starts_with("m.json: needs covary ")) << message(text);
  EXPECT_NE(message(text).find(" or newer: its version is 8, this program (covary "), std::string::npos);
  EXPECT_TRUE(message(text).ends_with(") reads up to 7"));
}

TEST(ModelFile, EditedByHand) {
  std::string text = model_text(small_model());
  text.replace(text.find("0.7"), 3, "0.8");
  EXPECT_EQ(message(text), "m.json: the checksum does not match: the file was damaged or edited");
}

TEST(ModelFile, NotAModel) {
  EXPECT_EQ(message(""), "m.json: the file is empty");
  EXPECT_EQ(message("x,y\n1,2\n"),
            "m.json: this looks like a table, not a Covary model file (what covary fit -o writes): the model "
            "comes first");
  EXPECT_EQ(message("[1, 2]"), "m.json: not a Covary model file: its format is not \"covary model\"");
  EXPECT_EQ(message(std::string(1000000, '[')), "m.json: not a Covary model file: its brackets are too deep");
}

FittedModel small_line() {
  ModelRecord m = small_model().record();
  m.weights = WeightModel{.features = parse_features("a, a^2", {"a"}), .variances = Vector::Constant(3, 0.3)};
  return FittedModel(m);
}

/// A file whose checksum is right and whose contents are not.
std::string resigned(const std::string& from, const std::string& to, const FittedModel& m = small_model()) {
  std::string text = model_text(m);
  text.replace(text.find(from), from.size(), to);
  std::uint64_t h = 14695981039346656037U;
  for (const char c : "7" + text.substr(text.find('\n')))
    h = (h ^ static_cast<unsigned char>(c)) * 1099511628211U;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(h));
  return text.replace(text.find("fnv1a64:") + 8, 16, hex);
}

TEST(ModelFile, WeightsThatDoNotFit) {
  const auto edited = [](const std::string& from, const std::string& to) {
    return message(resigned(from, to, small_line()));
  };
  EXPECT_EQ(edited("\"variances\":[0.3,", "\"variances\":["), "m.json: expected 3 prior variances, found 2");
  EXPECT_EQ(edited("[0.3,", "[-0.3,"), "m.json: a prior variance is not positive");
  EXPECT_NE(edited("a, a^2", "a, b^2").find("'b'"), std::string::npos);
  EXPECT_NE(edited("a, a^2", "splines(a)").find("where they stand"), std::string::npos);
  EXPECT_NE(edited("\"side\":\"weights\"", "\"side\":\"both\"").find("\"both\""), std::string::npos);
}

TEST(ModelFile, SizesThatDoNotFit) {
  EXPECT_EQ(message(resigned("\"features\":[\"a\"]", "\"features\":[\"a\",\"b\"]")),
            "m.json: expected rows of 2 numbers, found 1");
  EXPECT_EQ(message(resigned("\"y\":[", "\"y\":[1,")), "m.json: expected 4 observations, found 5");
  EXPECT_EQ(message(resigned("\"target_scale\":1.0", "\"target_scale\":0.0")),
            "m.json: expected a positive target_scale, found 0");
  EXPECT_EQ(message(resigned("\"starts\":8", "\"starts\":8e95")),
            "m.json: expected a whole number, found 8e+95");
  EXPECT_EQ(message(resigned("\"seed\":1", "\"seed\":-1")), "m.json: expected a whole number, found -1");
  EXPECT_EQ(message(resigned("\"evaluations\":0", "\"evaluations\":3000000000")),
            "m.json: expected a whole number, found 3000000000");
  EXPECT_EQ(message(resigned("\"noise_variance\":0.1", "\"noise_variance\":-1")).substr(0, 14),
            "m.json: noise:");
  EXPECT_NE(message(resigned("\"target\":", "\"tarjet\":")).find("not a complete model"), std::string::npos);
}

class ModelFileOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("covary-model-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  Index files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}); }
  fs::path folder_;
};

TEST_F(ModelFileOnDisk, SaveAndLoad) {
  const std::string path = folder_ / "m.json";
  const FittedModel m = small_model();
  save_model(m, path);
  EXPECT_EQ(model_text(load_model(path)), model_text(m));
  save_model(m, path);  // over the old one
  EXPECT_EQ(files(), 1);
}

/// `ulimit -d`: so many bytes more than now, until the end of the scope.
class MoreBytes {
 public:
  explicit MoreBytes(rlim_t bytes) {
    getrlimit(RLIMIT_DATA, &before_);
    std::ifstream in("/proc/self/statm");  // pages: size resident shared text lib data
    rlim_t pages = 0;
    for (int i = 0; i < 6; ++i) in >> pages;
    rlimit now = before_;
    now.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + bytes;
    setrlimit(RLIMIT_DATA, &now);
  }
  ~MoreBytes() { setrlimit(RLIMIT_DATA, &before_); }
  MoreBytes(const MoreBytes&) = delete;
  MoreBytes& operator=(const MoreBytes&) = delete;

 private:
  rlimit before_{};
};

TEST_F(ModelFileOnDisk, ValuesThatWouldFillTheMemoryAreNotRead) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs memory of its own";
#endif
  const std::string path = folder_ / "m.json";
  std::ofstream(path) << "{" << std::string(4 << 20, ',');  // 192 MiB once they are read
  const MoreBytes limit(128 << 20);
  try {
    (void)load_model(path);
    FAIL() << "was read";
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), Problem::limit) << e.what();
  }
}

TEST_F(ModelFileOnDisk, WithoutCommitTheOldFileStays) {
  const std::string path = folder_ / "m.json";
  std::ofstream(path) << "old";
  {
    internal::OutputFile file(path);
    file.write("new");
  }
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(ModelFileOnDisk, WhereNothingCanBeWritten) {
  EXPECT_THROW(save_model(small_model(), folder_ / "no such folder" / "m.json"), Error);
  EXPECT_THROW(save_model(small_model(), folder_), Error);
  EXPECT_THROW(save_model(small_model(), "/dev/full"), Error);
  EXPECT_THROW(load_model(folder_ / "none.json"), Error);
  EXPECT_THROW(load_model(folder_), Error);
}

}  // namespace
}  // namespace covary::model_file_test
