#include "reports/prediction_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "command.h"
#include "covary/base/error.h"
#include "inputs/tables.h"
#include "json_text.h"
#include "words.h"

namespace covary::cli {
namespace {

void add_suffix(Layout& l, const std::string& suffix) {
  l.mean += suffix, l.sd += suffix;
  if (!l.median.empty()) l.median += suffix;
  for (Band& b : l.bands) b.lower += suffix, b.upper += suffix;
}

/// Appends a number with the decimal mark of `like`; NA for one that is infinite.
void add_number(std::string& line, double value, const Table& like) {
  const size_t begin = line.size();
  line += std::isinf(value) ? "NA" : internal::format_number(value);
  if (like.decimal != '.')
    std::replace(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), '.', like.decimal);
}

class CsvWriter final : public Writer {
 public:
  using Writer::Writer;
  void begin() override {
    out_.write(header_line(points_.table()));
    for (const std::string& name : layout_.names()) out_.write(points_.table().delimiter + name);
    out_.write("\n");
  }
  void row(Index i, const Eigen::Ref<const Vector>& values) override {
    line_ = points_.text(i);
    for (const double value : values) add(value);
    out_.write(line_ += '\n');
  }
  void end() override {}

 private:
  void add(double value) {
    line_ += points_.table().delimiter;
    add_number(line_, value, points_.table());
  }
  std::string line_;
};

class JsonWriter final : public Writer {
 public:
  JsonWriter(Output& out, const CsvReader& points, const Layout& layout, nlohmann::ordered_json head)
      : Writer(out, points, layout), head_(std::move(head)) {}
  void begin() override {
    std::string text = head_.dump();
    text.back() = ',';
    out_.write(text + "\"predictions\":[");
  }
  void row(Index i, const Eigen::Ref<const Vector>& values) override {
    nlohmann::ordered_json j;
    for (const Column& c : points_.table().columns)
      if (c.named() || c.label) j[c.name] = cell(c, i);
    const std::vector<std::string> names = layout_.names();
    for (size_t k = 0; k < names.size(); ++k) j[names[k]] = or_null(values[static_cast<Index>(k)]);
    out_.write((first_ ? "\n" : ",\n") + j.dump());
    first_ = false;
  }
  void end() override { out_.write("\n]}\n"); }

 private:
  static nlohmann::ordered_json cell(const Column& c, Index i) {
    if (std::binary_search(c.missing.begin(), c.missing.end(), i)) return nullptr;
    if (c.kind == Column::Kind::text) return c.texts[static_cast<size_t>(i)];
    return c.values[static_cast<size_t>(i)];
  }
  nlohmann::ordered_json head_;
  bool first_ = true;
};

}  // namespace

Interval Band::of(const Prediction& p) const {
  return calibrated ? Interval{p.at(-*calibrated), p.at(*calibrated)} : p.interval(percent);
}

std::vector<std::string> Layout::names() const {
  std::vector<std::string> all{mean, sd};
  if (!median.empty()) all.push_back(median);
  for (const Band& b : bands) all.insert(all.end(), {b.lower, b.upper});
  return all;
}

Matrix Layout::values(const Prediction& p) const {
  Matrix out(p.mean.size(), std::ssize(names()));
  out.col(0) = p.mean, out.col(1) = p.sd;
  Index k = 2;
  if (!median.empty()) out.col(k++) = p.at(0);
  for (const Band& b : bands) {
    const Interval ends = b.of(p);
    out.col(k++) = ends.lower, out.col(k++) = ends.upper;
  }
  return out;
}

Layout layout(const std::string& intervals) {
  const std::vector<double> percents = percents_in(intervals, "--interval");
  Layout l;
  for (const double p : percents) {
    const std::string which = percents.size() > 1 ? fmt::format("_{}", p) : "";
    l.bands.push_back({p, {}, "lower" + which, "upper" + which});
  }
  const std::vector<std::string> names = l.names();
  for (const std::string& name : names)
    if (std::count(names.begin(), names.end(), name) > 1)
      throw Error(Problem::usage, fmt::format("--interval: '{}' would be written twice", name));
  return l;
}

void avoid_collisions(Layout& l, const Table& points, Messages& messages) {
  const auto taken = [&](const Layout& some) {
    const std::vector<std::string> names = some.names();
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& n) { return points.find(n) != nullptr; });
  };
  Layout renamed = l;
  for (int k = 2; taken(renamed); ++k) {
    renamed = l;
    add_suffix(renamed, fmt::format("_{}", k));
  }
  if (renamed.mean != l.mean)
    messages.note(fmt::format("{} already has some of the columns {}: the predictions are called {}",
                              points.source, fmt::join(l.names(), ", "), fmt::join(renamed.names(), ", ")));
  l = renamed;
}

std::unique_ptr<Writer> csv_writer(Output& out, const CsvReader& points, const Layout& layout) {
  return std::make_unique<CsvWriter>(out, points, layout);
}

std::unique_ptr<Writer> json_writer(Output& out, const CsvReader& points, const Layout& layout,
                                    nlohmann::ordered_json head) {
  return std::make_unique<JsonWriter>(out, points, layout, std::move(head));
}

void write_square(Output& out, const Matrix& values, const Table& like) {
  std::string line;
  for (Index j = 0; j < values.cols(); ++j) {
    if (j > 0) line += like.delimiter;
    line += fmt::format("row_{}", j + 1);
  }
  out.write(line += '\n');
  for (Index i = 0; i < values.rows(); ++i) {
    line.clear();
    for (Index j = 0; j < values.cols(); ++j) {
      if (j > 0) line += like.delimiter;
      add_number(line, values(i, j), like);
    }
    out.write(line += '\n');
  }
}

}  // namespace covary::cli
