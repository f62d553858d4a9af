// covary place: sensors chosen from every source of a field, under every rule.
#include "verbs/place.h"

#include <set>

#include "pictures/read_svg.h"

namespace covary::cli::place_test {
namespace {

TEST_F(Place, AKernelIsEnough) {
  const Outcome o = place({"-k", "4", "--kernel", kernel, "--coordinates", "x,y", "--noise", "0.01"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(o.out.starts_with("rank,name,x,y,gain,value,share,mean_sd,largest_sd\n")) << o.out;
  const std::vector<double> gain = column(o.out, "gain"), value = column(o.out, "value"),
                            sd = column(o.out, "mean_sd"), share = column(o.out, "share");
  ASSERT_EQ(gain.size(), 4u);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_NEAR(value[i], value[i - 1] + gain[i], 1e-9);
    EXPECT_LT(sd[i], sd[i - 1]);
    EXPECT_TRUE(share[i] > 0 && share[i] <= 1);
  }
  EXPECT_TRUE(notes(o, "% of the best possible four"));
  EXPECT_TRUE(notes(o, "values are in nats"));
}

TEST_F(Place, TheSameOnAnyNumberOfThreadsAndAsJson) {
  const Strings words{"-k",    "5", "--history", path("readings.csv"), "--held-out", path("later.csv"),
                      "--json"};
  Strings one = words, two = words;
  one.insert(one.end(), {"--threads", "1"}), two.insert(two.end(), {"--threads", "2"});
  const Outcome a = place(one), b = place(two);
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(a.out, b.out);
  const nlohmann::json j = nlohmann::json::parse(a.out);
  EXPECT_EQ(j["sensors"].size(), 5u);
  EXPECT_EQ(j["by_chance"]["mean"].size(), 6u);
  EXPECT_EQ(j["criterion"], "mutual-information");
}

TEST_F(Place, HeldOutReadingsArePredictedBetterThanByChance) {
  const Outcome o = place({"-k", "6", "--history", path("readings.csv"), "--nugget", "0.01", "--held-out",
                           path("later.csv"), "--criterion", "variance", "--unit", "degC"});
  ASSERT_EQ(o.code, 0) << o.err;
  const std::vector<double> rmse = column(o.out, "rmse"), random = column(o.out, "random_rmse"),
                            low = column(o.out, "random_5"), high = column(o.out, "random_95");
  for (size_t i = 0; i < 6; ++i) EXPECT_TRUE(low[i] <= random[i] && random[i] <= high[i]);
  EXPECT_LT(rmse[5], random[5]);
  EXPECT_TRUE(notes(o, "degC; "));
  EXPECT_TRUE(notes(o, "the error is largest at line "));
}

TEST_F(Place, ColumnsOfTheCandidatesHoldTheSameAsAFile) {
  const auto history = cells(contents(path("readings.csv"))), rooms = cells(contents(path("rooms.csv")));
  std::string wide = "name";
  for (size_t t = 1; t < history.size(); ++t) wide += ",t" + std::to_string(t);
  for (size_t i = 0; i < history[0].size(); ++i) {
    wide += "\n" + history[0][i];
    for (size_t t = 1; t < history.size(); ++t) wide += "," + history[t][i];
  }
  const Outcome o = covary({"place", file("wide.csv", wide + "\n"), "-k", "5", "--history", "columns:t*"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(names(o.out), chosen({"-k", "5", "--history", path("readings.csv")}));
}

TEST_F(Place, NamesDecideNotTheOrderOfColumns) {
  const auto history = cells(contents(path("readings.csv")));
  std::string turned;
  for (const auto& row : history) {
    for (size_t i = row.size(); i-- > 0;) turned += row[i] + (i ? "," : "\n");
  }
  EXPECT_EQ(chosen({"-k", "5", "--history", file("turned.csv", turned)}),
            chosen({"-k", "5", "--history", path("readings.csv")}));
}

TEST_F(Place, NamesThatAreNumbersAreNotTakenForReadings) {
  const auto history = cells(contents(path("readings.csv")));
  std::string motes = "id,x\n", numbered;
  for (size_t i = 0; i < history[0].size(); ++i) {
    motes += std::to_string(100 + i) + "," + std::to_string(i) + "\n";
    numbered += std::to_string(100 + i) + (i + 1 < history[0].size() ? "," : "\n");
  }
  const std::string readings = contents(path("readings.csv"));
  numbered += readings.substr(readings.find('\n') + 1);
  const Outcome o =
      covary({"place", file("motes.csv", motes), "-k", "5", "--history", file("numbered.csv", numbered)});
  ASSERT_EQ(o.code, 0) << o.err;
  const Strings by_name = chosen({"-k", "5", "--history", path("readings.csv")});
  for (size_t i = 0; i < 5; ++i) {
    const size_t at = std::stoul(names(o.out)[i]) - 100;
    EXPECT_EQ(history[0][at], by_name[i]);
  }
}

TEST_F(Place, ACovarianceIsWhatItsKernelSays) {
  std::ostringstream csv;
  csv.imbue(std::locale::classic());
  csv.precision(17);
  for (int p = 0; p < 20; ++p) csv << (p ? "," : "") << called(p / 4, p % 4);
  csv << '\n';
  for (int p = 0; p < 20; ++p) {
    for (int q = 0; q < 20; ++q) {
      const double r = std::hypot(p / 4 - q / 4, p % 4 - q % 4);
      csv << (q ? "," : "") << 2 * std::exp(-r / 1.5) + (p == q ? 0.1 : 0);
    }
    csv << '\n';
  }
  EXPECT_EQ(chosen({"-k", "5", "--covariance", file("c.csv", csv.str())}),
            chosen({"-k", "5", "--kernel", "2 * matern12(lengthscale=1.5)", "--nugget", "0.1",
                    "--coordinates", "x,y"}));
}

TEST_F(Place, AModelsFieldIsItsPosteriorAndItsNoiseTheSensors) {
  std::ostringstream data;
  data.imbue(std::locale::classic());
  data << "x,y,z\n";
  for (int i = 0; i < 25; ++i) data << 0.4 * (i % 5) << ',' << 0.5 * (i / 5) << ',' << std::sin(i) << '\n';
  fitted({file("d.csv", data.str()), "--target", "z", "--kernel", kernel, "--noise", "0.05", "--starts", "1",
          "-o", "m.json"});
  const Outcome o = place({"-k", "4", "--model", path("m.json"), "--plot", path("map.svg")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(notes(o, "a sensor's noise is that of the model, a variance of 0.05"));
  for (const double x : column(o.out, "x")) EXPECT_GE(x, 2) << "the data lie at the left";
  EXPECT_EQ(chosen({"-k", "4", "--model", path("m.json"), "--model", path("m.json")}), names(o.out));
  EXPECT_EQ(place({"-k", "3", "--model", path("m.json"), "--draws", "4"}).code, 0);
  EXPECT_TRUE(fails(place({"-k", "3", "--model", path("m.json"), "--model", path("m.json"), "--draws", "4"}),
                    2, "--draws needs one --model"));
}

TEST_F(Place, AKernelIsLearnedFromAHistoryAndDrawsItTogether) {
  const Outcome o =
      place({"-k", "5", "--history", path("readings.csv"), "--kernel", "matern52()", "--coordinates", "x,y"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(notes(o, "learned from the history: "));
  EXPECT_TRUE(notes(o, "towards the kernel"));
}

TEST_F(Place, ShrinkageIsChosenIfAsked) {
  const Outcome o = place({"-k", "5", "--history", path("readings.csv"), "--shrink", "auto"});
  EXPECT_TRUE(notes(o, "shrinkage 0."));
}

TEST_F(Place, RulesAreKept) {
  const Strings base{"--kernel", kernel, "--coordinates", "x,y"};
  const auto with = [&](Strings more) {
    more.insert(more.end(), base.begin(), base.end());
    return more;
  };
  const Strings allowed = chosen(with({"-k", "19", "--forbid", "locked"}));
  EXPECT_EQ(std::count(allowed.begin(), allowed.end(), "c2"), 0);
  const Strings far = chosen(with({"-k", "4", "--min-distance", "2.5"}));
  for (size_t i = 0; i < far.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_GE(std::hypot(far[i][0] - far[j][0], far[i][1] - far[j][1]), 2.5);
  std::multiset<char> floors;
  for (const std::string& n : chosen(with({"-k", "8", "--group", "floor", "--per-group", "2"})))
    floors.insert(n[1]);
  for (const char f : floors) EXPECT_LE(floors.count(f), 2u);
  const Outcome bought = place(with({"--cost", "euros", "--budget", "47"}));
  ASSERT_EQ(bought.code, 0) << bought.err;
  EXPECT_LE(column(bought.out, "cost").back(), 47);
  EXPECT_GE(column(bought.out, "cost").size(), 2u);
}

TEST_F(Place, SensorsThatStandAreNotPlacedAgain) {
  const Strings first = chosen({"-k", "2", "--kernel", kernel, "--coordinates", "x,y"});
  std::string standing = "x,y\n";
  for (const std::string& n : first)
    standing += std::to_string(n[0] - 'a') + "," + std::to_string(n[1] - '1') + "\n";
  Strings rest = chosen({"-k", "3", "--kernel", kernel, "--coordinates", "x,y", "--existing",
                         file("s.csv", standing + "9,9\n")});
  for (const std::string& n : rest) EXPECT_EQ(std::count(first.begin(), first.end(), n), 0);
  const Strings five = chosen({"-k", "5", "--kernel", kernel, "--coordinates", "x,y"});
  rest = chosen(
      {"-k", "3", "--kernel", kernel, "--coordinates", "x,y", "--existing", first[0] + "," + first[1]});
  EXPECT_EQ(rest, Strings(five.begin() + 2, five.end()));
}

TEST_F(Place, ASensorElsewhereIsKnownByItsColumnInTheHistory) {
  const auto rooms = cells(contents(path("rooms.csv")));
  std::string fewer = "name,x,y\n";  // without c3 and d1
  for (size_t i = 1; i < rooms.size(); ++i)
    if (rooms[i][0] != "c3" && rooms[i][0] != "d1")
      fewer += rooms[i][0] + "," + rooms[i][1] + "," + rooms[i][2] + "\n";
  const Outcome o = covary({"place", file("fewer.csv", fewer), "-k", "3", "--history", path("readings.csv"),
                            "--existing", "c3,d1", "--held-out", path("later.csv"), "--plot", path("m.svg")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(names(o.out), chosen({"-k", "3", "--history", path("readings.csv"), "--existing", "c3,d1"}));
}

TEST_F(Place, PlacesThatAreNoCandidatesNeedNoHeldOutReadings) {
  fitted({file("d.csv", "x,y,z\n0,0,1\n1,3,2\n4,1,0\n2,2,1.5\n"), "--target", "z", "--kernel", kernel,
          "--noise", "0.05", "--starts", "1", "-o", "m.json"});
  const Outcome o = place({"-k", "3", "--criterion", "variance", "--model", path("m.json"), "--held-out",
                           path("later.csv"), "--existing", file("s.csv", "x,y\n0.5,0.5\n"), "--targets",
                           file("t.csv", "x,y\n2.5,2.5\n1,1\n")});
  EXPECT_TRUE(notes(o, "has no readings there"));
}

TEST_F(Place, CoordinatesAreKnownByTheirUsualNames) {
  const Outcome o = place({"-k", "2", "--kernel", kernel});
  EXPECT_TRUE(notes(o, "coordinates: x, y (--coordinates)"));  // and not euros
  const Outcome other = covary({"place", file("g.csv", "id,height,North [km],East [km]\na,3,0,1\nb,4,7,2\n"),
                                "-k", "1", "--kernel", kernel});
  EXPECT_TRUE(notes(other, "coordinates: East [km], North [km] (--coordinates)"));
}

TEST_F(Place, TheColumnOfNamesIsNoReading) {
  const Outcome o = covary({"place", file("c.csv", "station,s1,s2\na,1,0.5\nb,0.5,2\n"), "-k", "1",
                            "--covariance", "columns:s*", "--criterion", "entropy"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(names(o.out), Strings{"b"});
}

TEST_F(Place, ReadingsWithGapsAreUsedAsFarAsTheyGo) {
  std::string gappy = contents(path("readings.csv"));
  for (size_t line = gappy.find('\n'), k = 0; k < 25; ++k, line = gappy.find('\n', line + 1))
    gappy.replace(line + 1, gappy.find(',', line) - line - 1, "NA");
  const Outcome o = place({"-k", "4", "--history", file("gappy.csv", gappy), "--nugget", "0.05"});
  EXPECT_TRUE(notes(o, "25 of 1200 readings are missing"));
}

TEST_F(Place, CriteriaAreListedAsTheyAreKnown) {
  const Outcome o = covary({"criteria", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  for (const auto& c : nlohmann::json::parse(o.out)) {
    const std::string name = c["name"];
    EXPECT_NE(covary({"criteria"}).out.find(name), std::string::npos);
    const Outcome run =
        place({"-k", "3", "--kernel", kernel, "--coordinates", "x,y", "--criterion", name, "--noise", "0.1"});
    EXPECT_EQ(run.code, 0) << run.err;
  }
}

TEST_F(Place, TargetsElsewhereDrawSensorsToThem) {
  const Outcome o = place({"-k", "1", "--kernel", kernel, "--coordinates", "x,y", "--criterion", "variance",
                           "--targets", file("t.csv", "x,y\n4.2,3.1\n3.9,2.8\n")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(names(o.out), Strings{"e4"});
}

TEST_F(Place, ASetThatSomebodyChoseIsScored) {
  const Strings base{"--history", path("readings.csv"), "--held-out", path("later.csv")};
  Strings ours = base, theirs = base;
  ours.insert(ours.end(), {"-k", "3"});
  const Outcome o = place(ours);
  ASSERT_EQ(o.code, 0) << o.err;
  const Strings set = names(o.out);
  theirs.insert(theirs.end(), {"--evaluate", set[0] + "," + set[1] + "," + set[2]});
  const Outcome same = place(theirs);
  ASSERT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(column(same.out, "value"), column(o.out, "value"));
  EXPECT_EQ(column(same.out, "rmse"), column(o.out, "rmse"));
  theirs.back() = file("set.csv", "name\na1\na2\na3\n");
  const Outcome corner = place(theirs);
  ASSERT_EQ(corner.code, 0) << corner.err;
  EXPECT_LT(column(corner.out, "value").back(), column(o.out, "value").back());
}

TEST_F(Place, OptimalIsNoWorseThanRefinedIsNoWorseThanGreedy) {
  double last = 0;
  for (const char* way : {"", "--refine", "--optimal"}) {
    Strings words{"-k", "3", "--history", path("readings.csv"), "--criterion", "variance"};
    if (*way) words.emplace_back(way);
    const Outcome o = place(words);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_GE(column(o.out, "value").back(), last - 1e-12) << way;
    last = column(o.out, "value").back();
    EXPECT_TRUE(notes(o, std::string(way) == "--optimal" ? "proven: no other three" : "best possible three"));
  }
  EXPECT_EQ(place({"-k", "3", "--history", path("readings.csv"), "--robust"}).code, 0);
}

TEST_F(Place, PicturesAreReadableAndSayWhatTheyShow) {
  const Outcome o = place({"-k", "6", "--history", path("readings.csv"), "--held-out", path("later.csv"),
                           "--forbid", "locked", "--existing", "a1,e4", "--coordinates", "x,y", "--plot",
                           path("map.svg"), "--plot-curve", path("curve.svg"), "--unit", "degC"});
  ASSERT_EQ(o.code, 0) << o.err;
  const std::string map = contents(path("map.svg")), curve = contents(path("curve.svg"));
  expect_readable(map), expect_readable(curve);
  const std::vector<Element> all = elements(map);
  EXPECT_TRUE(says(all, "Where to put 6 sensors"));
  EXPECT_TRUE(says(all, "stands already"));
  EXPECT_TRUE(says(all, "not allowed here"));
  EXPECT_TRUE(says(all, "[degC]"));
  for (const char* rank : {"1", "2", "3", "4", "5", "6"}) EXPECT_TRUE(says(all, rank));
  EXPECT_TRUE(says(elements(curve), "sets drawn by chance"));
}

TEST_F(Place, TwoCriteriaStandOnOneMap) {
  const Strings ask{"-k", "4", "--kernel", kernel, "--coordinates", "x,y", "--plot", path("map.svg")};
  const auto with = [&](Strings more) {
    more.insert(more.begin(), ask.begin(), ask.end());
    return place(more);
  };
  const Outcome one = with({}), both = with({"--beside", "entropy"}),
                entropy = with({"--criterion", "entropy"});
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.out, one.out);
  std::string listed;
  for (const std::string& name : names(entropy.out)) listed += (listed.empty() ? "" : ", ") + name;
  EXPECT_NE(both.err.find("entropy chooses " + listed + ": "), std::string::npos) << both.err;
  with({"--beside", "entropy"});
  const std::vector<Element> all = elements(contents(path("map.svg")));
  expect_readable(contents(path("map.svg")));
  EXPECT_TRUE(says(all, "by entropy, in the order of choice"));
  EXPECT_TRUE(says(all, "by mutual-information, in the order of choice"));
  const auto fours = std::count_if(all.begin(), all.end(), [](const Element& e) { return e.text == "4"; });
  EXPECT_GE(fours, 2);
  EXPECT_TRUE(
      fails(place({"-k", "4", "--kernel", kernel, "--beside", "entropy"}), 2, "--beside needs --plot"));
  EXPECT_TRUE(fails(with({"--beside", "entropie"}), 2, "did you mean 'entropy'?"));
}

TEST_F(Place, DiscsThatWouldLieOnEachOtherAreMovedApart) {
  std::string near = "name,x,y\nfar,100,100\n";
  for (int i = 0; i < 8; ++i) near += "n" + std::to_string(i) + "," + std::to_string(0.1 * i) + ",0\n";
  const Outcome o = covary({"place", file("near.csv", near), "-k", "9", "--criterion", "entropy", "--kernel",
                            "matern52(lengthscale=0.2)", "--plot", path("map.svg")});
  ASSERT_EQ(o.code, 0) << o.err;
  expect_readable(contents(path("map.svg")));
}

}  // namespace
}  // namespace covary::cli::place_test
