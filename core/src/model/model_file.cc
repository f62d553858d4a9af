#include "covary/model/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "covary/base/finite.h"
#include "covary/base/output_file.h"
#include "covary/kernels/expression.h"
#include "covary/learn/ignored_columns.h"
#include "covary/learn/summary_words.h"
#include "covary/predictive/score.h"
#include "model/sealed_json.h"

namespace covary {
namespace {

using nlohmann::ordered_json;

const SealedFormat& model_format() {
  static const SealedFormat model{
      .name = "covary model",
      .newest = 5,
      .what = "a Covary model file",
      .if_table =
          "this looks like a table, not a Covary model file (what covary fit -o writes): the model "
          "comes first",
      .checked_from = 2};
  return model;
}

// ------------------------------------------------------------------------------------------------ to JSON

ordered_json json_of(const Vector& v) { return std::vector<double>(v.begin(), v.end()); }

ordered_json json_of(const Matrix& x) {
  ordered_json rows = ordered_json::array();
  for (const auto& row : x.rowwise()) rows.push_back(json_of(Vector(row.transpose())));
  return rows;
}

const char* text_of(Side side) {
  return side == Side::automatic ? "auto" : side == Side::weights ? "weights" : "functions";
}
const char* text_of(Undetermined u) { return u == Undetermined::error ? "error" : "smallest"; }

ordered_json json_of(const Asked& a) {
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
          {"standardise", a.standardise},
          {"side", text_of(a.side)},
          {"undetermined", text_of(a.undetermined)},
          {"transform", a.transform.name()},
          {"inference", a.inference}};
}

ordered_json json_of(const DecidedModel& w) {
  ordered_json variances = ordered_json::array();
  for (const double v : w.variances) variances.push_back(std::isinf(v) ? ordered_json() : ordered_json(v));
  return {{"basis", w.features.text()},
          {"intercept", w.intercept},
          {"variances", std::move(variances)},
          {"noise_variance", w.noise > 0 ? ordered_json(w.noise) : ordered_json()},
          {"side", text_of(w.side)},
          {"undetermined", text_of(w.undetermined)}};
}

ordered_json json_of(const LearnedParameter& p) {
  return {{"name", p.name},   {"value", p.value},       {"lower", p.lower},       {"upper", p.upper},
          {"fixed", p.fixed}, {"at_lower", p.at_lower}, {"at_upper", p.at_upper}, {"flat", p.flat}};
}

ordered_json json_of(const Summary& s) {
  ordered_json parameters = ordered_json::array();
  for (const LearnedParameter& p : s.parameters) parameters.push_back(json_of(p));
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

ordered_json payload(const SavedModel& m) {
  const bool rows = m.noise.kind == Noise::Kind::rows;
  ordered_json data{{"hash", data_hash(m.x, m.y)}, {"x", json_of(m.x)}, {"y", json_of(m.y)}};
  if (rows) data["noise_sd"] = json_of(m.noise.sd);
  if (!m.rows.empty() && std::cmp_equal(m.rows.size(), m.y.size())) data["rows"] = m.rows;
  ordered_json j{{"written_by", "covary " COVARY_VERSION}, {"model", m.summary.model}};
  if (m.weights) {
    j["weights"] = json_of(*m.weights);
  } else {
    j["kernel"] = m.kernel;
    j["mean"] = m.mean;
    j["noise_variance"] = rows ? ordered_json() : ordered_json(m.noise.variance);
    if (m.variables.size()) j["variables"] = json_of(m.variables);
  }
  j["features"] = m.features;
  if (!m.ignored.empty()) j["ignored"] = m.ignored;
  j["target"] = m.target;
  j["target_scale"] = m.scale;
  j["asked"] = json_of(m.asked);
  j["summary"] = json_of(m.summary);
  j["data"] = std::move(data);
  return j;
}

// ---------------------------------------------------------------------------------------------- from JSON

[[noreturn]] void refuse_model(const std::string& source, const std::string& why) {
  throw Error(Problem::data, fmt::format("{}: {}", source, why));
}

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
void read_linear(Asked& a, const ordered_json& j) {
  a.model = j.at("model").get<std::string>();
  a.penalty = j.at("penalty").get<std::string>();
  a.basis = j.at("basis").get<std::string>();
  a.prior_sd = j.at("prior_sd").get<std::string>();
  a.intercept = j.at("intercept").get<bool>();
  a.standardise = j.at("standardise").get<bool>();
  a.side = side_from(j.at("side"));
  a.undetermined = undetermined_from(j.at("undetermined"));
}

DecidedModel decided_from(const ordered_json& j, const std::vector<std::string>& columns) {
  DecidedModel m{.features = parse_features(j.at("basis").get<std::string>(), columns), .variances = {}};
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

Asked asked_from(const ordered_json& j) {
  Asked a;
  a.data = j.at("data").get<std::string>();
  a.kernel = j.at("kernel").get<std::string>();
  a.noise = j.at("noise").get<std::string>();
  a.prior = j.at("prior") == "none" ? Prior::none : Prior::weak;
  a.objective = j.at("objective") == "evidence" ? ObjectiveKind::evidence : ObjectiveKind::leave_one_out;
  a.starts = whole<int>(j.at("starts"));
  a.seed = whole<std::uint64_t>(j.at("seed"));
  return a;
}

LearnedParameter parameter_from(const ordered_json& j) {
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

void read_data(SavedModel& m, const ordered_json& data) {
  m.x = matrix(data.at("x"), std::ssize(m.features));
  m.y = vector(data.at("y"));
  if (m.y.size() != m.x.rows())
    throw Error(Problem::data, fmt::format("expected {} observations, found {}", m.x.rows(), m.y.size()));
  if (data.contains("rows")) m.rows = data.at("rows").get<std::vector<std::string>>();
  if (!m.rows.empty() && std::cmp_not_equal(m.rows.size(), m.y.size()))
    throw Error(Problem::data, fmt::format("expected {} names of rows, found {}", m.y.size(), m.rows.size()));
}

std::vector<std::string> names_of(const HeldColumns& held, const std::vector<std::string>& features) {
  std::vector<std::string> out;
  for (const HeldColumn& h : held) out.push_back(features[static_cast<size_t>(h.column)]);
  return out;
}

/// Version 4 says which features are ignored; before it, those that the same fit would ignore now.
void read_ignored(SavedModel& m, const ordered_json& j, int version) {
  if (j.contains("ignored")) m.ignored = j.at("ignored").get<std::vector<std::string>>();
  if (version < 4) m.ignored = names_of(ignored_columns(m.asked, m.features, m.x), m.features);
  for (const std::string& name : m.ignored)
    if (std::find(m.features.begin(), m.features.end(), name) == m.features.end())
      throw Error(Problem::data, fmt::format("'{}' is ignored and no feature", name));
}

void read_noise(SavedModel& m, const ordered_json& variance, const ordered_json& data) {
  m.noise = variance.is_null() ? Noise::rows(vector(data.at("noise_sd"))) : Noise::of(variance.get<double>());
  if (m.noise.kind == Noise::Kind::given) m.summary.noise_variance = m.noise.variance;
  if (m.noise.kind == Noise::Kind::rows && m.noise.sd.size() != m.y.size())
    throw Error(Problem::data, fmt::format("expected {} standard deviations of noise, found {}", m.y.size(),
                                           m.noise.sd.size()));
  m.summary.noise = noise_words(m.noise, m.scale);
}

SavedModel from_payload(const ordered_json& j, int version) {
  SavedModel m;
  m.written_by = j.at("written_by").get<std::string>();
  m.features = j.at("features").get<std::vector<std::string>>();
  m.target = j.at("target").get<std::string>();
  m.scale = j.at("target_scale").get<double>();
  if (!(m.scale > 0 && std::isfinite(m.scale)))
    throw Error(Problem::data, fmt::format("expected a positive target_scale, found {}", m.scale));
  if (version > 1) m.asked = asked_from(j.at("asked"));
  if (version > 2) read_linear(m.asked, j.at("asked"));
  if (version > 3) m.asked.transform = Transform(j.at("asked").at("transform").get<std::string>());
  if (version > 4) m.asked.inference = parse_inference<Row>(j.at("asked").at("inference")).text();
  m.summary = version > 1 ? summary_from(j.at("summary")) : first_summary_from(j);
  if (version > 2) m.summary.model = j.at("model").get<std::string>();
  read_data(m, j.at("data"));
  if (j.contains("weights")) {
    m.weights = decided_from(j.at("weights"), m.features);
    read_ignored(m, j, version);
    return m;
  }
  read_ignored(m, j, version);
  m.summary.inference = m.asked.inference;
  m.kernel = m.summary.kernel = j.at("kernel").get<std::string>();
  m.mean = m.summary.mean = j.at("mean").get<std::string>();
  if (j.contains("variables")) m.variables = vector(j.at("variables"));
  read_noise(m, j.at("noise_variance"), j.at("data"));
  return m;
}

}  // namespace

SavedModel saved(const Learned& learned, const Rows& x, const Vector& y, std::vector<std::string> features,
                 std::string target, Asked asked) {
  SavedModel m;
  if (const Process<Row>* p = learned.predictor.process()) {
    m.kernel = p->kernel().text();
    m.mean = p->trend().text;
    m.noise = p->noise();
    if (p->posterior()) m.variables = p->posterior()->variables();
    m.ignored = names_of(held_columns(p->kernel()), features);
  } else {
    m.weights = learned.predictor.regression()->model();
    m.ignored = names_of(constant_columns(x), features);
  }
  m.features = std::move(features);
  m.target = std::move(target);
  m.x = x;
  m.y = y;
  m.scale = learned.predictor.scale();
  m.asked = std::move(asked);
  m.summary = learned.summary;
  return m;
}

SavedModel saved(const Fitted<Row>& fitted, const Rows& x, const Vector& y, std::vector<std::string> features,
                 std::string target, Asked asked) {
  return saved(Learned{{fitted.process, fitted.scale}, fitted.summary}, x, y, std::move(features),
               std::move(target), std::move(asked));
}

std::string data_hash(const Rows& x, const Vector& y) {
  Hash hash;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index k = 0; k < x.cols(); ++k) hash.add(x(i, k));
  for (const double v : y) hash.add(v);
  return hash.text();
}

Vector latent_target(const SavedModel& model) { return model.asked.transform(model.y) / model.scale; }

Predictor restored(const SavedModel& model, int threads) {
  const Vector y = latent_target(model);
  const Transform& g = model.asked.transform;
  const HeldColumns held = held_columns(model);
  if (model.weights) {
    DecidedModel weights = *model.weights;
    if (!held.empty()) weights.features = parse_features(weights.features.text(), model.features, held);
    return {Regression(std::move(weights), model.x, y, threads), model.scale, g};
  }
  const Mean<Row> mean =
      rescaled(mean_of(model.asked.mean_function, model.mean, model.features), model.scale);
  const Kernel<Row> kernel = parse(model.kernel, model.features, model.asked.functions);
  const Process<Row> prior(holding(held, kernel), holding(held, mean), model.noise);
  Inference<Row> inference = parse_inference<Row>(model.asked.inference);
  if (model.variables.size()) inference = inference.with_variables(model.variables);
  return {condition(inference, prior, Rows(with_held(model.x, held)), y, threads), model.scale, g};
}

std::vector<std::string> used_features(const SavedModel& m) {
  std::vector<std::string> out = m.features;
  std::erase_if(out, [&](const std::string& name) {
    return std::find(m.ignored.begin(), m.ignored.end(), name) != m.ignored.end();
  });
  return out;
}

HeldColumns held_columns(const SavedModel& m) {
  HeldColumns out;
  for (size_t k = 0; k < m.features.size() && m.x.rows() > 0; ++k)
    if (std::find(m.ignored.begin(), m.ignored.end(), m.features[k]) != m.ignored.end())
      out.push_back({Index(k), m.x(0, Index(k))});
  return out;
}

std::string row_name(const SavedModel& m, Index i) {
  return std::cmp_less(i, m.rows.size()) ? m.rows[static_cast<size_t>(i)] : fmt::format("row {}", i + 1);
}

void refresh_summary(SavedModel& m, const Predictor& predictor, int threads) {
  const Process<Row>& process = *predictor.process();
  const LeaveOneOut loo = process.leave_one_out(threads);
  const Vector y = latent_target(m);
  Summary& s = m.summary;
  s.n = m.y.size(), s.distinct = process.distinct(), s.noise = noise_words(m.noise, m.scale);
  s.log_marginal_likelihood = process.log_evidence() - double(m.y.size()) * std::log(m.scale);
  s.loo_rmse = m.scale * loo.rmse, s.loo_nlpd = loo.nlpd + std::log(m.scale);
  s.loo_skill = skill(loo.rmse, y);
  if (!m.asked.transform.is_identity()) {
    describe_left_out(s, predictor, m.x, m.y, threads);
    s.log_marginal_likelihood += m.asked.transform.log_jacobian(m.y);
  }
  s.jitter = process.conditioning().jitter;
  s.reciprocal_condition = process.conditioning().reciprocal_condition;
  check_finite(s);
}

void check_answers(const SavedModel& m, const Predictor& predictor, int threads) {
  constexpr Index most = 64;
  const Index n = m.x.rows(), step = std::max<Index>(1, n / most);
  std::vector<Index> rows;
  for (Index i = n - 1; i >= 0; i -= step) rows.push_back(i);
  const Prediction p = predictor.predict(m.x(rows, Eigen::all), Of::f, threads);
  const Summary& s = m.summary;
  const bool process = predictor.process() != nullptr;  // few rows may leave the scores of weights undefined
  const bool scored = !std::isinf(s.log_marginal_likelihood) &&
                      (!process || (std::isfinite(s.log_marginal_likelihood) && !std::isinf(s.loo_rmse)));
  // An sd may be infinite or unknown where weights are not determined, or where no row is left for the noise.
  if (scored && p.mean.allFinite() && (!process || p.sd.allFinite())) return;
  throw Error(Problem::numerical,
              fmt::format("the {} of '{}' are not finite numbers with these rows: look for a wrong value, or "
                          "rescale the target",
                          scored ? "predictions" : "scores", m.target));
}

std::string model_text(const SavedModel& model) {
  if (!model.asked.functions.empty())
    throw Error(Problem::usage, fmt::format("the kernel uses '{}', a function of this program: a model file "
                                            "cannot hold it",
                                            model.asked.functions[0]->name));
  if (model.asked.mean_function)
    throw Error(Problem::usage, fmt::format("the mean is '{}', a function of this program: a model file "
                                            "cannot hold it",
                                            model.asked.mean_function->name));
  return sealed(model_format(), payload(model));
}

SavedModel parse_model(std::string_view text, const std::string& source) {
  const Opened file = opened(text, model_format(), source);
  try {
    return from_payload(file.model, file.version);
  } catch (const ordered_json::exception& e) {
    refuse_model(source, fmt::format("not a complete model: {}", e.what()));
  } catch (const Error& e) {
    refuse_model(source, e.what());
  }
}

void save_model(const SavedModel& model, const std::string& path) {
  OutputFile file(path);
  file.write(model_text(model));
  file.commit();
}

SavedModel load_model(const std::string& path) {
  return parse_model(sealed_text(path, model_format(), true), path == "-" ? "standard input" : path);
}

}  // namespace covary
