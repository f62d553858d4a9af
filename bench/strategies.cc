// How many labels does each strategy need? covary replay, run as a user runs it, on real sets.
//
// Regression: labels to reach the error that random has with 200 (budget 300, or the pool). Classification:
// labels to reach 95 % of the accuracy that all labels give (budget 400). 20 repeats, same starts for all.
// Every set and every strategy is shown, wins and losses.
//
//   strategies [--quick] [--data DIR] [--sets a,b,c] [--task regression|classification]
#include <fmt/core.h>

#include <cmath>

#include "measure.h"

namespace {

struct Set {
  const char *name, *file, *options;
};

// Columns are named by number where the files have no header.
constexpr Set regression[] = {
    {"yacht", "uci/yacht.csv.gz", "--target x7"},
    {"autompg", "uci/autompg.csv.gz", "--target x8"},
    {"housing", "uci/housing.csv.gz", "--target x14"},
    {"stock", "uci/stock.csv.gz", "--target x12"},
    {"energy", "uci/energy.csv.gz", "--target x9"},
    {"concrete", "uci/concrete.csv.gz", "--target x9"},
    {"airfoil", "uci/airfoil.csv.gz", "--target x6"},
    {"Walker lake", "spatial/walker_lake_470.csv", "--target V --features x,y"},
    {"Swiss rain", "spatial/sic97_swiss_rain.csv", "--target rainfall_0.1mm --features x_km,y_km"},
    {"MODIS", "spatial/heaton_modis_lst.csv.gz",
     "--target TrueTemp --features Lon,Lat --missing drop --limit 1500"}};
constexpr const char* for_numbers[] = {
    "random",      "uncertainty",        "density",        "pure-density",         "diversity", "committee",
    "information", "variance-reduction", "representative", "expected-model-change"};

constexpr Set classification[] = {
    {"ionosphere", "classify/ionosphere.csv.gz", "--target Class"},
    {"sonar", "classify/sonar.csv.gz", "--target Class"},
    {"wdbc", "classify/wdbc.csv", "--target class --classify"},
    {"pima", "classify/pimaindiansdiabetes.csv.gz", "--target diabetes"},
    {"spam", "classify/spam.csv.gz", "--target type --limit 2000"},
    {"vehicle", "classify/vehicle.csv.gz", "--target Class"},
    {"vowel", "classify/vowel.csv.gz", "--target Class --classify"},
    {"digits", "classify/digits8x8.csv.gz", "--target digit --classify"},
    {"satellite", "classify/satellite.csv.gz", "--target classes --classify --limit 2000"}};
constexpr const char* for_classes[] = {
    "random",         "svm-margin",      "density", "diversity", "committee",
    "uncertainty",    "least-confident", "margin",  "entropy",   "expected-error-reduction",
    "representative", "hierarchical"};

/// What covary replay says of a set, or null if it failed.
nlohmann::json learned(const bench::Options& o, const Set& set, const std::string& strategies,
                       const std::string& how) {
  const std::string command = fmt::format(
      "{} replay {} {} {} {} --repeats {} --json -q", bench::quoted(COVARY_COMMAND),
      bench::quoted(o.get("data") + "/" + set.file), set.options, strategies, how, o.has("quick") ? 3 : 20);
  return nlohmann::json::parse(bench::output_of(command));
}

bool wanted(const bench::Options& o, const std::string& name) {
  return !o.has("sets") || ("," + o.get("sets") + ",").find("," + name + ",") != std::string::npos;
}

/// The table; how many sets there were, and on how many the best of `watched` needs at most 60 %.
template <size_t sets, size_t names>
std::pair<int, int> table(const bench::Options& o, const Set (&all)[sets],
                          const char* const (&strategies)[names], const std::string& how,
                          const std::vector<std::string>& watched) {
  std::string given;
  for (const char* s : strategies) given += fmt::format(" --strategy {}", s);
  fmt::print("{:<12} {:>9}", "set", "to reach");
  for (const char* s : strategies) fmt::print(" {:>24}", s);
  fmt::print("\n");
  int count = 0, met = 0;
  for (const Set& set : all) {
    if (!wanted(o, set.name) || !std::filesystem::exists(o.get("data") + "/" + set.file)) continue;
    const nlohmann::json j = learned(o, set, given, how);
    fmt::print("{:<12} {:>9.4g}", set.name, j["reach"].get<double>());
    double best = std::numeric_limits<double>::infinity();
    for (const nlohmann::json& s : j["strategies"]) {
      const double last = s["labels"].back();
      const bool reached = !s["labels_to_reach"].is_null();
      const std::string share = s["share_of_baseline"].is_null()
                                    ? ""
                                    : fmt::format(" ({:.0f} %)", 100 * s["share_of_baseline"].get<double>());
      fmt::print(" {:>24}", reached ? fmt::format("{:.0f}{}", s["labels_to_reach"].get<double>(), share)
                                    : fmt::format("over {:.0f}", last));
      if (!s["share_of_baseline"].is_null() &&
          std::count(watched.begin(), watched.end(), s["strategy"].get<std::string>()))
        best = std::min(best, s["share_of_baseline"].get<double>());
    }
    fmt::print("\n");
    ++count;
    met += best <= 0.6;
  }
  return {count, met};
}

void program(const bench::Options& o) {
  if (!std::filesystem::exists(o.get("data") + "/uci"))
    return bench::left_out(o, "labels that strategies need", "no data folder");
  const std::string task = o.get("task");
  if (task != "classification") {
    fmt::print("labels to reach the error of random with 200 (share of random's)\n\n");
    const auto [count, met] = table(o, regression, for_numbers, "--budget 300 --reach random@200",
                                    {"variance-reduction", "information"});
    bench::verdict(o, "regression sets where 60 % of random's labels are enough",
                   fmt::format("{} of {}", met, count), "half", 2 * met >= count);
  }
  if (task != "regression") {
    fmt::print("\nlabels to reach 95 % of the accuracy that all labels give (share of random's)\n\n");
    const auto [count, met] =
        table(o, classification, for_classes, "--budget 400 --reach 95%", {"svm-margin", "uncertainty"});
    bench::verdict(o, "classification sets where 60 % of random's labels are enough",
                   fmt::format("{} of {}", met, count), "-", true);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] { program(bench::read_options(argc, argv, {"sets", "task"})); });
}
