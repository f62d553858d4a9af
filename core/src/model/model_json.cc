#include "model/model_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "covary/base/error.h"
#include "covary/learn/ignored_columns.h"
#include "covary/learn/summary_words.h"
#include "covary/model/model_file.h"
#include "model/schema_json.h"
#include "model/sealed_json.h"

namespace covary {
using namespace internal;
namespace {

using nlohmann::ordered_json;

// ------------------------------------------------------------------------------------------------ to JSON

ordered_json json_of(const Vector& v) { return std::vector<double>(v.begin(), v.end()); }

const char* text_of(Side side) {
  return side == Side::automatic ? "auto" : side == Side::weights ? "weights" : "functions";
}
const char* text_of(Undetermined u) { return u == Undetermined::error ? "error" : "smallest"; }

ordered_json json_of(const Request& a) {
  return {{"data", a.data},
          {"kernel", a.kernel},
          {"noise", a.noise},
          {"prior", a.prior == Prior::weak ? "weak" : "none"},
          {"objective", a.objective == ObjectiveKind::evidence ? "evidence" : "leave-one-out"},
          {"starts", a.starts},
          {"seed", a.seed},
          {"model", a.model},
          {"penalty", a.penalty},
          {"basis", a.basis},
          {"prior_sd", a.prior_sd},
          {"intercept", a.intercept},
          {"standardise", a.standardize},
          {"side", text_of(a.side)},
          {"undetermined", text_of(a.undetermined)},
          {"transform", a.transform.name()},
          {"inference", without_device(a.inference)}};
}

ordered_json json_of(const WeightModel& w) {
  ordered_json variances = ordered_json::array();
  for (const double v : w.variances) variances.push_back(std::isinf(v) ? ordered_json() : ordered_json(v));
  return {{"basis", w.features.text()},
          {"intercept", w.intercept},
          {"variances", std::move(variances)},
          {"noise_variance", w.noise > 0 ? ordered_json(w.noise) : ordered_json()},
          {"side", text_of(w.side)},
          {"undetermined", text_of(w.undetermined)}};
}

ordered_json json_of(const FittedParameter& p) {
  return {{"name", p.name},   {"value", p.value},       {"lower", p.lower},       {"upper", p.upper},
          {"fixed", p.fixed}, {"at_lower", p.at_lower}, {"at_upper", p.at_upper}, {"flat", p.flat}};
}

ordered_json json_of(const Summary& s) {
  ordered_json parameters = ordered_json::array();
  for (const FittedParameter& p : s.parameters) parameters.push_back(json_of(p));
  return {{"log_marginal_likelihood", s.log_marginal_likelihood},
          {"log_prior", s.log_prior},
          {"loo", {{"rmse", s.loo_rmse}, {"nlpd", s.loo_nlpd}, {"skill", s.loo_skill}}},
          {"n", s.n},
          {"distinct", s.distinct},
          {"parameters", std::move(parameters)},
          {"evaluations", s.evaluations},
          {"stopped", s.stopped},
          {"jitter", s.jitter},
          {"reciprocal_condition", s.reciprocal_condition},
          {"notes", s.notes}};
}

/// All but the arrays, which are the last.
ordered_json without_arrays(const ModelRecord& m) {
  ordered_json j{{"written_by", "covary " COVARY_VERSION}, {"model", m.summary.model}};
  if (m.weights) {
    j["weights"] = json_of(*m.weights);
  } else {
    const bool rows = m.noise.per_row();
    j["kernel"] = m.kernel;
    j["mean"] = m.mean;
    j["noise_variance"] = rows ? ordered_json() : ordered_json(m.noise.variance);
    if (m.variables.size()) j["variables"] = json_of(m.variables);
  }
  j["features"] = m.features;
  if (m.request.schema.size() > 0) j["schema"] = internal::json_of(m.request.schema, m.x);
  if (!m.ignored.empty()) j["ignored"] = m.ignored;
  j["target"] = m.target;
  j["target_scale"] = m.scale;
  j["asked"] = json_of(m.request);
  j["summary"] = json_of(m.summary);
  j["data"] = {{"hash", data_hash(m.x, m.y)}};
  return j;
}

std::string text_of(const ordered_json& j) {
  return j.dump(-1, ' ', false,
                ordered_json::error_handler_t::replace);  // bytes that are no text, as in a name
}

bool has_row_names(const ModelRecord& m) {
  return !m.rows.empty() && std::cmp_equal(m.rows.size(), m.y.size());
}

/// A list, in parts.
void write_numbers(const Vector& v, const std::function<void(std::string_view)>& write) {
  constexpr Index part = 4096;
  write("[");
  for (Index i = 0; i < v.size(); i += part) {
    const std::string some = text_of(json_of(Vector(v.segment(i, std::min(part, v.size() - i)))));
    write((i > 0 ? "," : "") + some.substr(1, some.size() - 2));
  }
  write("]");
}

// ---------------------------------------------------------------------------------------------- from JSON

double number(const ordered_json& j) {  // what was not finite was written as null
  return j.is_null() ? std::numeric_limits<double>::quiet_NaN() : j.get<double>();
}

/// A whole number that fits. JSON has no bounds of its own.
template <class T>
T whole(const ordered_json& j) {
  const bool fits = j.is_number_unsigned() ? std::in_range<T>(j.get<std::uint64_t>())
                                           : j.is_number_integer() && std::in_range<T>(j.get<std::int64_t>());
  if (!fits)
    throw Error(Problem::data, fmt::format("expected a whole number, found {}", j.dump().substr(0, 40)));
  return j.get<T>();
}

Vector vector(const ordered_json& j) {
  Vector v(static_cast<Index>(j.get_ref<const ordered_json::array_t&>().size()));
  for (Index i = 0; i < v.size(); ++i) v[i] = j[static_cast<size_t>(i)].get<double>();
  return v;
}

Matrix matrix(const ordered_json& j, Index columns) {
  const auto& rows = j.get_ref<const ordered_json::array_t&>();
  for (const ordered_json& row : rows)  // before anything is allocated
    if (std::cmp_not_equal(row.get_ref<const ordered_json::array_t&>().size(), columns))
      throw Error(Problem::data, fmt::format("expected rows of {} numbers, found {}", columns, row.size()));
  Matrix x(std::ssize(rows), columns);
  for (Index i = 0; i < x.rows(); ++i) x.row(i) = vector(rows[static_cast<size_t>(i)]).transpose();
  return x;
}

template <class T>
T one_of(const ordered_json& j, const std::vector<std::pair<const char*, T>>& words) {
  for (const auto& [word, value] : words)
    if (j == word) return value;
  throw Error(Problem::data, fmt::format("expected one of a few words, found {}", j.dump().substr(0, 40)));
}
Side side_from(const ordered_json& j) {
  return one_of<Side>(
      j, {{"auto", Side::automatic}, {"weights", Side::weights}, {"functions", Side::functions}});
}
Undetermined undetermined_from(const ordered_json& j) {
  return one_of<Undetermined>(j, {{"smallest", Undetermined::minimum_norm}, {"error", Undetermined::error}});
}

/// What version 3 added.
void read_linear(Request& a, const ordered_json& j) {
  a.model = j.at("model").get<std::string>();
  a.penalty = j.at("penalty").get<std::string>();
  a.basis = j.at("basis").get<std::string>();
  a.prior_sd = j.at("prior_sd").get<std::string>();
  a.intercept = j.at("intercept").get<bool>();
  a.standardize = j.at("standardise").get<bool>();
  a.side = side_from(j.at("side"));
  a.undetermined = undetermined_from(j.at("undetermined"));
}

WeightModel decided_from(const ordered_json& j, const std::vector<std::string>& columns) {
  WeightModel m{.features = parse_features(j.at("basis").get<std::string>(), columns), .variances = {}};
  m.intercept = j.at("intercept").get<bool>();
  const auto& variances = j.at("variances").get_ref<const ordered_json::array_t&>();
  if (m.features.needs_data()) throw Error(Problem::data, "its features do not say where they stand");
  if (std::cmp_not_equal(variances.size(), m.features.size() + (m.intercept ? 1 : 0)))
    throw Error(Problem::data, fmt::format("expected {} prior variances, found {}",
                                           m.features.size() + (m.intercept ? 1 : 0), variances.size()));
  m.variances.resize(std::ssize(variances));
  for (Index i = 0; i < m.variances.size(); ++i) {
    const ordered_json& v = variances[static_cast<size_t>(i)];
    m.variances[i] = v.is_null() ? std::numeric_limits<double>::infinity() : v.get<double>();
    if (!(m.variances[i] > 0)) throw Error(Problem::data, "a prior variance is not positive");
  }
  const ordered_json& noise = j.at("noise_variance");
  m.noise = noise.is_null() ? 0 : noise.get<double>();
  if (!(m.noise >= 0 && std::isfinite(m.noise)))
    throw Error(Problem::data, "the noise variance is not a positive number");
  m.side = side_from(j.at("side"));
  m.undetermined = undetermined_from(j.at("undetermined"));
  return m;
}

Request request_from(const ordered_json& j) {
  Request a;
  a.data = j.at("data").get<std::string>();
  a.kernel = j.at("kernel").get<std::string>();
  a.noise = j.at("noise").get<std::string>();
  a.prior = j.at("prior") == "none" ? Prior::none : Prior::weak;
  a.objective = j.at("objective") == "evidence" ? ObjectiveKind::evidence : ObjectiveKind::leave_one_out;
  a.starts = whole<int>(j.at("starts"));
  a.seed = whole<std::uint64_t>(j.at("seed"));
  return a;
}

FittedParameter parameter_from(const ordered_json& j) {
  const ordered_json& upper = j.at("upper");  // null where there is none
  return {j.at("name").get<std::string>(),
          number(j.at("value")),
          number(j.at("lower")),
          upper.is_null() ? std::numeric_limits<double>::infinity() : upper.get<double>(),
          j.at("fixed").get<bool>(),
          j.at("at_lower").get<bool>(),
          j.at("at_upper").get<bool>(),
          j.at("flat").get<bool>()};
}

/// What version 1 has of a summary.
Summary first_summary_from(const ordered_json& j) {
  Summary s;
  s.log_marginal_likelihood = number(j.at("log_marginal_likelihood"));
  s.loo_rmse = number(j.at("loo").at("rmse"));
  s.loo_nlpd = number(j.at("loo").at("nlpd"));
  s.notes = j.at("notes").get<std::vector<std::string>>();
  return s;
}

Summary summary_from(const ordered_json& j) {
  Summary s = first_summary_from(j);
  s.loo_skill = number(j.at("loo").at("skill"));
  s.log_prior = number(j.at("log_prior"));
  s.n = whole<Index>(j.at("n"));
  s.distinct = whole<Index>(j.at("distinct"));
  for (const ordered_json& p : j.at("parameters")) s.parameters.push_back(parameter_from(p));
  s.evaluations = whole<int>(j.at("evaluations"));
  s.stopped = j.at("stopped").get<std::string>();
  s.jitter = number(j.at("jitter"));
  s.reciprocal_condition = number(j.at("reciprocal_condition"));
  return s;
}

void read_data(ModelRecord& m, const ordered_json& data, ModelArrays* arrays) {
  m.x = arrays ? std::move(arrays->x) : matrix(data.at("x"), std::ssize(m.features));
  m.y = arrays ? std::move(arrays->y) : vector(data.at("y"));
  if (m.x.cols() != std::ssize(m.features))
    throw Error(Problem::data,
                fmt::format("expected rows of {} numbers, found {}", m.features.size(), m.x.cols()));
  if (m.y.size() != m.x.rows())
    throw Error(Problem::data, fmt::format("expected {} observations, found {}", m.x.rows(), m.y.size()));
  if (data.contains("rows")) m.rows = data.at("rows").get<std::vector<std::string>>();
  if (!m.rows.empty() && std::cmp_not_equal(m.rows.size(), m.y.size()))
    throw Error(Problem::data, fmt::format("expected {} names of rows, found {}", m.y.size(), m.rows.size()));
}

/// Version 4 says which features are ignored; before it, those that the same fit would ignore now.
void read_ignored(ModelRecord& m, const ordered_json& j, int version) {
  if (j.contains("ignored")) m.ignored = j.at("ignored").get<std::vector<std::string>>();
  if (version < 4) m.ignored = names_of(ignored_columns(m.request, m.features, m.x), m.features);
  for (const std::string& name : m.ignored)
    if (std::find(m.features.begin(), m.features.end(), name) == m.features.end())
      throw Error(Problem::data, fmt::format("'{}' is ignored and no feature", name));
}

void read_noise(ModelRecord& m, const ordered_json& variance, const ordered_json& data, ModelArrays* arrays) {
  m.noise = !variance.is_null() ? Noise::of(variance.get<double>())
            : arrays            ? Noise::rows(std::move(arrays->noise_sd))
                                : Noise::rows(vector(data.at("noise_sd")));
  if (m.noise.is_given()) m.summary.noise_variance = m.noise.variance;
  if (m.noise.per_row() && m.noise.sd.size() != m.y.size())
    throw Error(Problem::data, fmt::format("expected {} standard deviations of noise, found {}", m.y.size(),
                                           m.noise.sd.size()));
  m.summary.noise = noise_words(m.noise, m.scale);
}

}  // namespace

std::string internal::data_hash(const Rows& x, const Vector& y) {
  Hash hash;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index k = 0; k < x.cols(); ++k) hash.add(x(i, k));
  for (const double v : y) hash.add(v);
  return hash.text();
}

void write_json(const ModelRecord& m, const std::function<void(std::string_view)>& write) {
  std::string head = text_of(without_arrays(m));
  head.resize(head.size() - 2);  // the brackets of the data and of the whole
  write(head);
  write(",\"x\":[");
  for (Index i = 0; i < m.x.rows(); ++i)
    write((i > 0 ? "," : "") + text_of(json_of(Vector(m.x.row(i).transpose()))));
  write("],\"y\":");
  write_numbers(m.y, write);
  if (m.noise.per_row()) write(",\"noise_sd\":"), write_numbers(m.noise.sd, write);
  if (has_row_names(m)) write(",\"rows\":" + text_of(m.rows));
  write("}}");
}

std::string json_without_arrays(const ModelRecord& m) {
  ordered_json j = without_arrays(m);
  if (has_row_names(m)) j["data"]["rows"] = m.rows;
  return text_of(j);
}

ModelRecord record_from_json(const ordered_json& j, int version, ModelArrays* arrays) {
  ModelRecord m;
  m.written_by = j.at("written_by").get<std::string>();
  m.features = j.at("features").get<std::vector<std::string>>();
  m.target = j.at("target").get<std::string>();
  m.scale = j.at("target_scale").get<double>();
  if (!(m.scale > 0 && std::isfinite(m.scale)))
    throw Error(Problem::data, fmt::format("expected a positive target_scale, found {}", m.scale));
  if (version > 1) m.request = request_from(j.at("asked"));
  if (version > 2) read_linear(m.request, j.at("asked"));
  if (version > 3) m.request.transform = Transform(j.at("asked").at("transform").get<std::string>());
  m.request.inference = Exact().text();
  if (version > 4) m.request.inference = parse_inference<Row>(j.at("asked").at("inference")).text();
  m.summary = version > 1 ? summary_from(j.at("summary")) : first_summary_from(j);
  if (version > 2) m.summary.model = j.at("model").get<std::string>();
  if (j.contains("schema")) m.request.schema = schema_from(j.at("schema"), m.features);
  read_data(m, j.at("data"), arrays);
  check_codes(m.request.schema, m.x);
  if (j.contains("weights")) {
    m.weights = decided_from(j.at("weights"), m.features);
    read_ignored(m, j, version);
    return m;
  }
  read_ignored(m, j, version);
  m.summary.inference = m.request.inference;
  m.kernel = m.summary.kernel = j.at("kernel").get<std::string>();
  m.mean = m.request.mean = m.summary.mean = j.at("mean").get<std::string>();
  if (j.contains("variables")) m.variables = vector(j.at("variables"));
  read_noise(m, j.at("noise_variance"), j.at("data"), arrays);
  return m;
}

}  // namespace covary
