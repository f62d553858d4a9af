// covary kernels: by what they read, and expressions over records in words.
#include "run_command.h"

namespace covary::cli::kernels_test {
namespace {

class KernelsOfRecords : public Command {
 protected:
  nlohmann::json json(const std::string& expression) const {
    const Outcome o = covary({"kernels", expression, "--json"});
    EXPECT_EQ(o.code, 0) << o.err;
    return nlohmann::json::parse(o.out);
  }
};

TEST_F(KernelsOfRecords, AreListedByWhatTheyRead) {
  std::map<std::string, std::string> reads;
  for (const auto& k : nlohmann::json::parse(covary({"kernels", "--json"}).out))
    reads[k["name"]] = k["reads"];
  EXPECT_EQ(reads["se"], "numbers");
  EXPECT_EQ(reads["features"], "numbers");
  EXPECT_EQ(reads["constant"], "numbers");
  EXPECT_EQ(reads["category"], "categories");
  EXPECT_EQ(reads["spectrum"], "text");
  EXPECT_EQ(reads["minmax"], "sets");
  EXPECT_EQ(reads["weisfeiler_lehman"], "graphs");
  EXPECT_EQ(reads["graph_matern"], "nodes");
  EXPECT_EQ(reads["sphere_matern32"], "sphere");
  const std::string table = "\n" + covary({"kernels"}).out;
  size_t at = 0;
  for (const char* heading : {"\nNumbers and dates\n", "\nPlaces on the sphere", "\nCategories\n", "\nText\n",
                              "\nSets\n", "\nGraphs\n", "\nNodes of a network"}) {
    const size_t found = table.find(heading, at);
    ASSERT_NE(found, table.npos) << heading << table;
    at = found;
  }
}

/// Every kernel that is listed is explained; what reads no numbers is not drawn, and says so.
TEST_F(KernelsOfRecords, EachIsExplained) {
  for (const auto& k : nlohmann::json::parse(covary({"kernels", "--json"}).out)) {
    const std::string name = k["name"], reads = k["reads"];
    if (reads == "numbers" || reads == "sphere") continue;
    const Outcome o = covary({"kernels", name + "()"});
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.out.find("Reads " + (reads == "nodes" ? "nodes of a network" : reads)), std::string::npos)
        << o.out;
    EXPECT_NE(o.out.find(k["about"].get<std::string>()), std::string::npos) << o.out;
    for (const char* option : {"-o", "--over"})
      EXPECT_TRUE(fails(
          covary({"kernels", name + "()", option, *option == '-' && option[1] == 'o' ? "k.svg" : "0,1"}), 2,
          "there is nothing to draw over"));
  }
  EXPECT_FALSE(fs::exists(path("k.svg")));
}

TEST_F(KernelsOfRecords, AMixedExpressionReadsEachColumnAsItsKernelDoes) {
  const auto j =
      json("on(temp, se()) * on(catalyst, category()) + on(sequence, spectrum(k=3)) + on(tags, jaccard())");
  EXPECT_EQ(j["reads"],
            nlohmann::json::parse(
                R"({"temp": "number", "catalyst": "category", "sequence": "text", "tags": "set"})"));
  EXPECT_EQ(j["terms"]["parts"].size(), 3U);
  EXPECT_NE(j["terms"]["parts"][1]["words"].get<std::string>().find("of sequence alone: texts"),
            std::string::npos)
      << j["terms"]["parts"][1];
  const auto bare = json("se() * category() * spectrum()");
  EXPECT_EQ(bare["reads"].size(), 3U);
}

TEST_F(KernelsOfRecords, ParametersOfABareKernel) {
  const auto j = json("2 * mismatch(k=4, m=1) + fixed(0.5)");
  EXPECT_EQ(j["kernel"], "2 * mismatch(k=4, m=1) + fixed(0.5)");
  EXPECT_EQ(j["parameters"].size(), 2U);
  EXPECT_EQ(j["parameters"][1]["fixed"], true);
  const auto category = json("category(correlation=0.3)");
  EXPECT_EQ(category["parameters"].back()["value"], 0.3);
}

}  // namespace
}  // namespace covary::cli::kernels_test
