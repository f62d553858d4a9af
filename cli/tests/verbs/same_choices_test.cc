// Every strategy makes the same choices in the command and in C++; python/tests holds Python to the command.
#include <fmt/format.h>

#include <cmath>

#include "covary/design/suggest_over.h"
#include "covary/kernels/expression.h"
#include "covary/model/model_file.h"
#include "covary/select/replay_stream.h"
#include "run_command.h"

namespace covary::cli::same_choices_test {
namespace {

/// 60 points of the plane; a field and three classes there, in the digits of a table.
struct Plane {
  Matrix x = Matrix::Zero(60, 2);
  Vector y = Vector::Zero(60), kind = Vector::Zero(60);
  std::string csv = "x,z,y,kind\n";
  Plane() {
    for (Index i = 0; i < 60; ++i) {
      x(i, 0) = std::round(1e4 * std::fmod(0.6180339887 * double(i), 1)) / 1e4;
      x(i, 1) = std::round(1e4 * std::fmod(0.7548776662 * double(i), 1)) / 1e4;
      y[i] = std::round(1e4 * (std::sin(6 * x(i, 0)) + x(i, 1))) / 1e4;
      kind[i] = x(i, 0) + x(i, 1) > 1.2 ? 2 : double(x(i, 0) > 0.5);
      csv += fmt::format("{},{},{},{}\n", x(i, 0), x(i, 1), y[i], std::string(1, char('a' + int(kind[i]))));
    }
  }
};

class SameChoices : public Command {
 protected:
  Plane plane_;
};

/// Column row of the runs; 0 where it is the start.
std::vector<Index> rows_of_runs(std::string csv) {
  for (size_t at = 0; (at = csv.find("NA", at)) != csv.npos;) csv.replace(at, 2, "0");
  std::vector<Index> out;
  for (const double row : column(csv, "row")) out.push_back(Index(row));
  return out;
}

TEST_F(SameChoices, OfSuggestFromATable) {
  std::string few;  // 12 of them are known
  std::istringstream in(plane_.csv);
  for (auto [k, line] = std::pair{0, std::string()}; k < 13 && std::getline(in, line); ++k)
    few += line + "\n";
  ASSERT_EQ(
      covary({"fit", file("few.csv", few), "--target", "y", "-f", "x,z", "-o", path("m.json"), "-q"}).code,
      0);
  file("all.csv", plane_.csv);
  const FittedModel model = load_model(path("m.json"));
  for (const StrategyEntry& e : strategies()) {
    if (!e.pool || !e.applies(false)) continue;
    SCOPED_TRACE(e.name);
    const Outcome o = covary({"suggest", path("m.json"), path("all.csv"), "-n", "4", "--strategy", e.name,
                              "--seed", "5", "--json", "-q"});
    ASSERT_EQ(o.code, 0) << o.err;
    SuggestOptions how{.count = 4, .strategy = e.name};
    how.selector.seed = 5;
    const Suggestions s = suggest(model, Rows(plane_.x), how);
    const nlohmann::json theirs = nlohmann::json::parse(o.out);
    ASSERT_EQ(theirs.size(), 4);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(theirs[i]["row"], s.choices[i].candidate + 1);
      EXPECT_EQ(theirs[i]["score"].get<double>(), s.choices[i].score);
      EXPECT_EQ(theirs[i]["reason"], s.choices[i].reason);
    }
  }
}

TEST_F(SameChoices, OfSuggestInADomain) {
  ASSERT_EQ(
      covary({"fit", file("all.csv", plane_.csv), "--target", "y", "-f", "x,z", "-o", path("m.json"), "-q"})
          .code,
      0);
  const FittedModel model = load_model(path("m.json"));
  const std::vector<DomainAxis> over{parse_axis("x=0:1"), parse_axis("z=0:1:0.125")};
  for (const StrategyEntry& e : strategies()) {
    const bool best = e.question == Question::best;
    if (!best && e.name != "uncertainty") continue;
    SCOPED_TRACE(e.name);
    std::vector<std::string> words{
        "suggest", path("m.json"), "--over", "x=0:1",  "--over", "z=0:1:0.125", "-n",
        "2",       "--strategy",   e.name,   "--seed", "5",      "--json",      "-q"};
    if (best) words.emplace_back("--minimize");
    const Outcome o = covary(words);
    ASSERT_EQ(o.code, 0) << o.err;
    SuggestOptions how{.count = 2, .strategy = e.name};
    how.selector.seed = 5, how.selector.minimize = best;
    const DomainSuggestions s = suggest(model, over, how);
    const nlohmann::json theirs = nlohmann::json::parse(o.out);
    ASSERT_EQ(theirs.size(), 2);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(theirs[i]["at"]["x"].get<double>(), s.x(Index(i), 0));
      EXPECT_EQ(theirs[i]["at"]["z"].get<double>(), s.x(Index(i), 1));
      EXPECT_EQ(theirs[i]["reason"], s.reasons[i]);
    }
  }
}

/// Pools and streams, for numbers and classes: every strategy that the registry has for them.
TEST_F(SameChoices, OfReplaysFromPoolsAndStreams) {
  file("all.csv", plane_.csv);
  for (const bool classes : {false, true})
    for (const bool stream : {false, true}) {
      SCOPED_TRACE(fmt::format("{} in a {}", classes ? "classes" : "numbers", stream ? "stream" : "pool"));
      std::vector<std::string> names, words{"replay",      path("all.csv"),
                                            "--target",    classes ? "kind" : "y",
                                            "-f",          "x,z",
                                            "--kernel",    "se()",
                                            "--noise",     "0.1",
                                            "--budget",    "18",
                                            "--repeats",   "2",
                                            "--seed",      "5",
                                            "-o",          path("runs.csv"),
                                            "--overwrite", "-q"};
      for (const StrategyEntry& e : strategies()) {
        const bool passes = stream ? e.streams(classes) : e.pool && e.applies(classes);
        if (passes) names.push_back(e.name), words.insert(words.end(), {"--strategy", e.name});
      }
      if (stream) words.emplace_back("--stream");
      const Outcome o = covary(words);
      ASSERT_EQ(o.code, 0) << o.err;
      ReplayData data{plane_.x, classes ? plane_.kind : plane_.y, classes ? 3 : 0};
      ReplayOptions how{.strategies = names, .budget = 18, .repeats = 2, .seed = 5};
      const Model<Row> model{parse<Row>("se()"), constant_mean<Row>(), Noise::of(0.1)};
      const std::vector<Trial> runs = stream ? replay_stream(data, model, how) : replay(data, model, how);
      std::vector<Index> ours;
      for (const Trial& t : runs)
        for (const Step& s : t.steps) ours.push_back(s.row + 1);
      EXPECT_GE(names.size(), stream ? 2u : 15u);
      EXPECT_EQ(rows_of_runs(contents(path("runs.csv"))), ours);
    }
}

}  // namespace
}  // namespace covary::cli::same_choices_test
