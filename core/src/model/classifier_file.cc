#include "covary/model/classifier_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include "covary/base/output_file.h"
#include "covary/kernels/expression.h"
#include "model/sealed_json.h"

namespace covary {
using namespace internal;
namespace {

using nlohmann::ordered_json;

const SealedFormat& classifier_format() {
  static const SealedFormat classifier{
      .name = "covary classifier", .newest = 1, .what = "a Covary classifier file"};
  return classifier;
}

/// Throws unless the parts go together.
void check_parts(const SavedClassifier& s, Problem problem) {
  const auto require = [&](bool holds, const std::string& why) {
    if (!holds) throw Error(problem, why);
  };
  require(s.x.cols() == std::ssize(s.features),
          fmt::format("expected {} columns of points, found {}", s.features.size(), s.x.cols()));
  require(s.x.rows() == std::ssize(s.label),
          fmt::format("expected {} labels, found {}", s.x.rows(), s.label.size()));
  require(!s.label.empty(), "expected one label or more, found none");
  require(s.x.allFinite(), "a point is not finite");
  for (const Index c : s.label)
    require(c >= 0 && c < std::ssize(s.classes),
            fmt::format("expected a class from 0 to {}, found {}", s.classes.size() - 1, c));
  check(s.options);
}

ordered_json payload(const SavedClassifier& s) {
  ordered_json classes = ordered_json::array(), x = ordered_json::array();
  for (const ClassName& c : s.classes)
    classes.push_back(std::visit([](const auto& name) { return ordered_json(name); }, c));
  for (const auto& row : s.x.rowwise()) x.push_back(std::vector<double>(row.begin(), row.end()));
  const double penalty = s.options.penalty;
  return {{"written_by", "covary " COVARY_VERSION},
          {"model", "svm"},
          {"kernel", s.kernel},
          {"penalty", std::isinf(penalty) ? ordered_json("inf") : ordered_json(penalty)},
          {"tolerance", s.options.tolerance},
          {"features", s.features},
          {"classes", std::move(classes)},
          {"asked", {{"kernel", s.asked}}},
          {"data", {{"x", std::move(x)}, {"label", s.label}}}};
}

ClassName class_name(const ordered_json& j) {
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_unsigned() && !std::in_range<std::int64_t>(j.get<std::uint64_t>())) return j.get<double>();
  if (j.is_number_integer()) return j.get<std::int64_t>();
  if (j.is_number()) return j.get<double>();
  return j.get<std::string>();
}

Matrix points(const ordered_json& j, Index columns) {
  const auto& rows = j.get_ref<const ordered_json::array_t&>();
  for (const ordered_json& row : rows)  // before anything is allocated
    if (std::cmp_not_equal(row.get_ref<const ordered_json::array_t&>().size(), columns))
      throw Error(Problem::data, fmt::format("expected rows of {} numbers, found {}", columns, row.size()));
  Matrix x(std::ssize(rows), columns);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index k = 0; k < columns; ++k)
      x(i, k) = rows[static_cast<size_t>(i)][static_cast<size_t>(k)].get<double>();
  return x;
}

SavedClassifier from_payload(const ordered_json& j) {
  SavedClassifier s;
  s.written_by = j.at("written_by").get<std::string>();
  s.kernel = j.at("kernel").get<std::string>();
  s.asked = j.at("asked").at("kernel").get<std::string>();
  const ordered_json& penalty = j.at("penalty");
  s.options.penalty = penalty == "inf" ? std::numeric_limits<double>::infinity() : penalty.get<double>();
  s.options.tolerance = j.at("tolerance").get<double>();
  s.features = j.at("features").get<std::vector<std::string>>();
  for (const ordered_json& c : j.at("classes")) s.classes.push_back(class_name(c));
  s.x = points(j.at("data").at("x"), std::ssize(s.features));
  for (const ordered_json& c : j.at("data").at("label")) {
    if (!c.is_number_integer() || c < 0 || c >= s.classes.size())
      throw Error(Problem::data, fmt::format("expected a class from 0 to {}, found {}", s.classes.size() - 1,
                                             c.dump().substr(0, 40)));
    s.label.push_back(c.get<Index>());
  }
  check_parts(s, Problem::data);
  return s;
}

}  // namespace

Classifier<Row> internal::restored(const SavedClassifier& saved, int threads) {
  SvmOptions options = saved.options;
  options.threads = threads;
  return Classifier<Row>::train(parse<Row>(saved.kernel, saved.features), saved.x, saved.label, options);
}

std::string internal::classifier_text(const SavedClassifier& saved) {
  check_parts(saved, Problem::usage);
  return sealed(classifier_format(), payload(saved));
}

SavedClassifier internal::parse_classifier(std::string_view text, const std::string& source) {
  const Opened file = opened(text, classifier_format(), source);
  try {
    return from_payload(file.model);
  } catch (const ordered_json::exception& e) {
    throw Error(Problem::data, fmt::format("{}: not a complete classifier: {}", source, e.what()));
  } catch (const Error& e) {
    throw Error(Problem::data, fmt::format("{}: {}", source, e.what()));
  }
}

void save_classifier(const SavedClassifier& saved, const std::string& path) {
  const std::string text = classifier_text(saved);
  OutputFile file(path);
  file.write(text);
  file.commit();
}

SavedClassifier load_classifier(const std::string& path) {
  InputFile file(path, classifier_format());
  return parse_classifier(sealed_text(file, classifier_format()), path);
}

bool internal::is_classifier_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  const std::string begins = fmt::format(R"({{"format":"{}")", classifier_format().name);
  std::string found(begins.size(), ' ');
  return file && std::fread(found.data(), 1, found.size(), file.get()) == found.size() && found == begins;
}

}  // namespace covary
