// covary predict: mean, standard deviation and intervals at the rows of a table, in blocks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "command.h"
#include "covary/error.h"
#include "covary/model_file.h"
#include "covary/normal.h"
#include "output.h"
#include "tables.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr Index block = 8192;  // rows predicted and written at a time

struct PredictArguments {
  std::string model, points, interval = "95", of = "f", out = "-", header = "auto";
  int threads = 0;
  bool json = false, quiet = false;
};

/// A band around the mean: mean -+ z sd, in columns of these names.
struct Band {
  double percent = 95, z = 0;
  std::string lower = "lower", upper = "upper";
};

/// What is written beside the input columns.
struct Layout {
  std::string mean = "mean", sd = "sd";
  std::vector<Band> bands;

  std::vector<std::string> names() const {
    std::vector<std::string> all{mean, sd};
    for (const Band& b : bands) all.insert(all.end(), {b.lower, b.upper});
    return all;
  }
  void add_suffix(const std::string& suffix) {
    mean += suffix, sd += suffix;
    for (Band& b : bands) b.lower += suffix, b.upper += suffix;
  }
};

Layout layout(const std::string& intervals) {
  const std::vector<double> percents = numbers_in(intervals, "--interval");
  Layout l;
  for (const double p : percents) {
    const std::string which = percents.size() > 1 ? fmt::format("_{}", p) : "";
    l.bands.push_back({p, interval_quantile(p), "lower" + which, "upper" + which});
  }
  const std::vector<std::string> names = l.names();
  for (const std::string& name : names)
    if (std::count(names.begin(), names.end(), name) > 1)
      throw Error(Problem::usage, fmt::format("--interval: '{}' would be written twice", name));
  return l;
}

/// Output names that are input names too get the first of _2, _3, ... that makes all of them new.
void avoid_collisions(Layout& l, const Table& points, Messages& messages) {
  const auto taken = [&](const Layout& some) {
    const std::vector<std::string> names = some.names();
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& n) { return points.find(n) != nullptr; });
  };
  Layout renamed = l;
  for (int k = 2; taken(renamed); ++k) {
    renamed = l;
    renamed.add_suffix(fmt::format("_{}", k));
  }
  if (renamed.mean != l.mean)
    messages.note(fmt::format("{} already has some of the columns {}: the predictions are called {}",
                              points.source, fmt::join(l.names(), ", "), fmt::join(renamed.names(), ", ")));
  l = renamed;
}

void check_columns(const Table& points, const SavedModel& model, Messages& messages) {
  for (const std::string& name : model.features) {
    if (points.find(name) != nullptr) continue;
    const std::string hint = did_you_mean(name, points.names());
    throw Error(Problem::data,
                fmt::format("{} has no column '{}', which the model needs{}{}", points.source, name,
                            hint.empty() ? "; it has " : hint,
                            hint.empty() ? fmt::format("{}", fmt::join(points.names(), ", ")) : ""));
  }
  std::vector<std::string> extra;
  for (const Column& c : points.columns)
    if (std::find(model.features.begin(), model.features.end(), c.name) == model.features.end())
      extra.push_back(c.name);
  if (!extra.empty()) messages.note(fmt::format("copied, not used by the model: {}", fmt::join(extra, ", ")));
}

std::vector<Index> range(Index first, Index count) {
  std::vector<Index> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

/// Every value the model will need is a finite number: said before anything is computed or written.
void check_values(const Table& points, const SavedModel& model) {
  for (Index first = 0; first < points.rows(); first += block)
    numbers(points, model.features, range(first, std::min(block, points.rows() - first)));
}

/// One row of output after another.
class Writer {
 public:
  Writer(Output& out, RawTable& points, const Layout& layout) : out_(out), points_(points), layout_(layout) {}
  virtual ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  virtual void begin() = 0;
  virtual void row(Index i, double mean, double sd) = 0;
  virtual void end() = 0;

 protected:
  Output& out_;
  RawTable& points_;
  const Layout& layout_;
};

/// The row as it came, then the predictions, separated and with decimals as in the input.
class CsvWriter final : public Writer {
 public:
  using Writer::Writer;
  void begin() override {
    out_.write(points_.header());
    for (const std::string& name : layout_.names()) out_.write(points_.table().delimiter + name);
    out_.write("\n");
  }
  void row(Index /*i*/, double mean, double sd) override {
    std::string line = points_.next_row();
    add(line, mean);
    add(line, sd);
    for (const Band& b : layout_.bands) add(line, mean - b.z * sd), add(line, mean + b.z * sd);
    out_.write(line += '\n');
  }
  void end() override {}

 private:
  void add(std::string& line, double value) const {
    line += points_.table().delimiter;
    std::string number = format_number(value);
    if (points_.table().decimal != '.')
      std::replace(number.begin(), number.end(), '.', points_.table().decimal);
    line += number;
  }
};

/// {"of": "f", ..., "predictions": [{"x": 8, "mean": ...}, ...]}
class JsonWriter final : public Writer {
 public:
  JsonWriter(Output& out, RawTable& points, const Layout& layout, nlohmann::ordered_json head)
      : Writer(out, points, layout), head_(std::move(head)) {}
  void begin() override {
    std::string text = head_.dump();
    text.back() = ',';
    out_.write(text + "\"predictions\":[");
  }
  void row(Index i, double mean, double sd) override {
    nlohmann::ordered_json j;
    for (const Column& c : points_.table().columns) j[c.name] = cell(c, i);
    j[layout_.mean] = mean;
    j[layout_.sd] = sd;
    for (const Band& b : layout_.bands) j[b.lower] = mean - b.z * sd, j[b.upper] = mean + b.z * sd;
    out_.write((i > 0 ? ",\n" : "\n") + j.dump());
  }
  void end() override { out_.write("\n]}\n"); }

 private:
  static nlohmann::ordered_json cell(const Column& c, Index i) {
    if (std::binary_search(c.missing.begin(), c.missing.end(), i)) return nullptr;
    if (c.kind == Column::Kind::text) return c.texts[static_cast<size_t>(i)];
    return c.values[static_cast<size_t>(i)];
  }
  nlohmann::ordered_json head_;
};

std::unique_ptr<Writer> writer(const PredictArguments& a, const SavedModel& model, Output& out,
                               RawTable& points, const Layout& l) {
  if (!a.json) return std::make_unique<CsvWriter>(out, points, l);
  std::vector<double> percents;
  for (const Band& b : l.bands) percents.push_back(b.percent);
  return std::make_unique<JsonWriter>(
      out, points, l,
      nlohmann::ordered_json{
          {"target", model.target}, {"of", a.of}, {"intervals", percents}, {"n", points.table().rows()}});
}

void run(const PredictArguments& a) {
  if (a.model == "-" && a.points == "-")
    throw Error(Problem::usage, "the model and the points cannot both be -");
  Messages messages(a.quiet);
  Layout l = layout(a.interval);
  const SavedModel model = load_model(a.model);
  RawTable points(a.points, csv_options(a.header));
  const Table& table = points.table();
  messages.notes(table.notes);
  check_columns(table, model, messages);
  avoid_collisions(l, table, messages);
  check_values(table, model);
  Output out(a.out);
  const Process<Row> process = restored(model, a.threads);
  const std::unique_ptr<Writer> rows = writer(a, model, out, points, l);
  Index clamped = 0;
  for (Index first = 0; first < table.rows(); first += block) {
    const Index count = std::min(block, table.rows() - first);
    const Matrix x = numbers(table, model.features, range(first, count));
    const Prediction p = predict(process, model.scale, x, a.of == "y" ? Of::y : Of::f, a.threads);
    if (first == 0) rows->begin();  // what cannot be predicted at all has been said by now
    for (Index i = 0; i < count; ++i) rows->row(first + i, p.mean[i], p.sd[i]);
    clamped += p.clamped;
    messages.progress("predicting", double(first + count) / double(table.rows()));
  }
  rows->end();
  out.commit();
  if (clamped > 0)
    messages.note(fmt::format("{} known exactly, to rounding: their sd is 0",
                              counted(clamped, "point is", "points are")));
}

}  // namespace

Run add_predict(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("predict", "Predict at the rows of a table: adds mean, sd, lower and upper.");
  verb->footer(
      "  covary predict model.json points.csv -o predictions.csv\n"
      "  covary predict model.json - --interval 50,95 --of y < points.csv");
  auto a = std::make_shared<PredictArguments>();
  verb->add_option("MODEL", a->model, "What covary fit -o wrote; - is standard input")->required();
  verb->add_option("POINTS", a->points, "A CSV file with the model's columns, by name; - is standard input")
      ->required();
  verb->add_option("-i,--interval", a->interval,
                   "Percent inside lower and upper; several make lower_50, upper_50, ...")
      ->type_name("P,..")
      ->capture_default_str();
  add_choice(*verb, "--of", a->of, {"f", "y"}, "The function, or a new observation of it (with noise)");
  verb->add_option("-o,--out", a->out, "Write here; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  add_header_option(*verb, a->header);
  add_threads(*verb, a->threads);
  verb->add_flag("--json", a->json, "One JSON object instead of CSV");
  verb->add_flag("-q,--quiet", a->quiet, "No notes");
  return [a] { run(*a); };
}

}  // namespace covary::cli
