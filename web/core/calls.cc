#include "calls.h"

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "covary/base/error.h"
#include "covary/base/runtime.h"
#include "covary/gaussian/univariate.h"
#include "covary/inference/evidence.h"
#include "covary/kernels/explain.h"
#include "covary/kernels/expression.h"
#include "covary/learn/minimize.h"
#include "covary/model/fitted_model.h"
#include "covary/process/process.h"
#include "covary/table/table.h"

namespace covary::web {
namespace {

using Json = nlohmann::ordered_json;

Vector vector_of(const Json& numbers) {
  Vector out(static_cast<Index>(numbers.size()));
  for (Index i = 0; i < out.size(); ++i) out[i] = numbers[static_cast<size_t>(i)].get<double>();
  return out;
}

Json json_of(const Vector& v) {
  Json out = Json::array();
  for (const double x : v) out.push_back(x);
  return out;
}

/// A curve's request: a kernel with every parameter given, noise variance, mean, points (x, y) of one column.
struct Asked {
  Kernel<Row> kernel;
  Mean<Row> mean;
  Noise noise;
  Matrix x;  // n x 1
  Vector y;  // n
};

Asked asked(const Json& q) {
  const std::vector<std::string> columns{"x"};
  const Vector x = vector_of(q.at("x"));
  return {parse<Row>(q.at("kernel").get<std::string>(), columns),
          parse_mean(q.value("mean", "zero"), Schema(columns)), Noise::of(q.at("noise").get<double>()), x,
          vector_of(q.at("y"))};
}

Json parameters_of(const Kernel<Row>& kernel) {
  Json all = Json::array();
  for (const Parameter& p : kernel.parameters())
    all.push_back({{"name", full_name(p, {"x"})},
                   {"role", internal::role_text(p.role)},
                   {"value", std::isnan(p.value) ? Json() : Json(p.value)},
                   {"fixed", p.fixed}});
  return all;
}

/// What a term is in words, then its parts.
void add_words(const Term& term, Json& to) {
  to.push_back({{"kernel", term.text}, {"words", term.words}});
  for (const Term& part : term.parts) add_words(part, to);
}

/// {kernel, at}: the expression in words; `drawable`: the same with every parameter given, for a range of x.
Json explained(const Json& q) {
  const Kernel<Row> k = parse<Row>(q.at("kernel").get<std::string>(), {"x"});
  const Matrix at = vector_of(q.at("at"));
  const Kernel<Row> whole = internal::drawable(k, at);
  Json words = Json::array();
  add_words(explain(k), words);
  return {{"text", k.text()},
          {"words", words},
          {"drawable", whole.text()},
          {"parameters", parameters_of(whole)},
          {"stationary", internal::is_stationary(whole, at)}};
}

/// {kernel, values of all its parameters} or {kernel, theta of those that are not fixed}: the expression with them.
Json with_values(const Json& q) {
  const Kernel<Row> k = parse<Row>(q.at("kernel").get<std::string>(), {"x"});
  Vector theta = k.theta();
  if (q.contains("theta")) {
    theta = vector_of(q.at("theta"));
  } else {
    const Vector values = vector_of(q.at("values"));
    const std::vector<Parameter> all = k.parameters();
    if (values.size() != std::ssize(all)) throw Error(Problem::usage, "values: one for each parameter");
    Index free = 0;
    for (Index i = 0; i < values.size(); ++i)
      if (const Parameter& p = all[static_cast<size_t>(i)]; !p.fixed)
        theta[free++] = internal::to_theta(p.scale, values[i]);
  }
  if (theta.size() != k.theta().size()) throw Error(Problem::usage, "theta: one for each parameter to learn");
  const Kernel<Row> changed = k.with(theta);
  return {{"kernel", changed.text()}, {"parameters", parameters_of(changed)}};
}

/// Mean, sd, interval, draws and evidence at one setting; without points, of the prior.
Json curve(const Json& q) {
  const Asked a = asked(q);
  const Matrix at = vector_of(q.at("at"));
  const Of of = q.value("of", "f") == "y" ? Of::y : Of::f;
  const double percent = q.value("interval", 95.0);
  const Process<Row> prior(a.kernel, a.mean, a.noise);
  const Process<Row> process = a.y.size() > 0 ? prior.condition(a.x, a.y, 1) : prior;
  const Marginals m = process.predict(at, of, 1);
  Json out{{"mean", json_of(m.mean)},
           {"sd", json_of(m.variance.array().sqrt())},
           {"z", internal::interval_quantile(percent)},
           {"log_marginal_likelihood", a.y.size() > 0 ? Json(process.log_evidence()) : Json()},
           {"notes", process.notes()}};
  if (const Index draws = q.value("draws", 0); draws > 0) {
    const Matrix f = process.sample(at, draws, q.value("seed", std::uint64_t{1}), of);
    Json all = Json::array();
    for (Index j = 0; j < f.cols(); ++j) all.push_back(json_of(f.col(j)));
    out["samples"] = all;
  }
  return out;
}

/// {kernel, at}: the matrix of covariances, row after row.
Json covariances(const Json& q) {
  const Kernel<Row> k = parse<Row>(q.at("kernel").get<std::string>(), {"x"});
  internal::check_given(k.parameters());
  const Matrix at = vector_of(q.at("at"));
  const Matrix all = k.cross(at, at);
  Json rows = Json::array();
  for (Index i = 0; i < all.rows(); ++i) rows.push_back(json_of(all.row(i)));
  return {{"rows", rows}};
}

/// The log marginal likelihood on a grid of two of the parameters (the noise is the last), the others as they are,
/// and the way of the optimizer from here.
Json landscape(const Json& q) {
  const Asked a = asked(q);
  Evidence<Row> evidence(a.kernel, a.mean, Noise::learn(), a.x, a.y);
  Vector theta(evidence.parameters());
  theta.head(theta.size() - 1) = a.kernel.theta();
  theta[theta.size() - 1] = std::log(a.noise.variance);
  const Index i = q.at("first").get<Index>(), j = q.at("second").get<Index>();
  if (i < 0 || j < 0 || i >= theta.size() || j >= theta.size())
    throw Error(Problem::usage, "landscape: there is no such parameter");
  const Vector across = vector_of(q.at("across")), up = vector_of(q.at("up"));
  Json values = Json::array();
  for (const double v : up) {
    Json row = Json::array();
    for (const double u : across) {
      Vector t = theta;
      t[i] = u, t[j] = v;
      const double value = evidence.at(t, false).value;
      row.push_back(std::isfinite(value) ? Json(value) : Json());
    }
    values.push_back(row);
  }
  Json path = Json::array();
  if (q.value("path", false)) {
    const auto f = [&](const Vector& t) -> std::pair<double, Vector> {
      Evaluation e = evidence.at(t, true);
      path.push_back({t[i], t[j], std::isfinite(e.value) ? Json(e.value) : Json()});
      return {-e.value, -e.gradient};
    };
    const Vector reach = Vector::Constant(theta.size(), 12);
    internal::minimize(f, theta, theta - reach, theta + reach, {.max_evaluations = 200});
  }
  return {{"theta", json_of(theta)}, {"values", values}, {"path", path}};
}

/// Hyper-parameters that explain the points best, as `covary fit` finds them.
Json fitted(const Json& q) {
  Request request;
  request.kernel = q.at("kernel").get<std::string>();
  request.mean = q.value("mean", "zero");
  request.noise = q.contains("noise") && q.at("noise").is_number() ? "" : "learn";
  TrainingData data{vector_of(q.at("x")), vector_of(q.at("y")), {"x"}};
  if (request.noise.empty()) data.noise = Noise::of(q.at("noise").get<double>());
  FitOptions options;
  options.starts = q.value("starts", options.starts);
  options.seed = q.value("seed", options.seed);
  options.threads = 1;
  const FittedModel model = fit(request, std::move(data), options);
  const Summary& s = model.summary();
  return {{"kernel", s.kernel},
          {"mean", s.mean},
          {"noise", s.noise_variance},
          {"log_marginal_likelihood", s.log_marginal_likelihood},
          {"evaluations", s.evaluations},
          {"optima", s.basins.size()},
          {"seconds", s.seconds},
          {"loo_skill", std::isfinite(s.loo_skill) ? Json(s.loo_skill) : Json()},
          {"notes", s.notes},
          {"parameters", parameters_of(parse<Row>(s.kernel, {"x"}))}};
}

/// {path}: the columns of a table, with their types, and what was assumed on reading it.
Json columns(const Json& q) {
  const Table table = read_csv_file(q.at("path").get<std::string>());
  Json all = Json::array();
  for (const Column& c : table.columns) {
    if (!c.named()) continue;
    Json one{{"name", c.name}, {"number", c.kind == Column::Kind::number}, {"missing", c.missing.size()}};
    if (c.kind == Column::Kind::number) {
      double low = INFINITY, high = -INFINITY;
      for (const double v : c.values) low = std::fmin(low, v), high = std::fmax(high, v);
      if (low <= high) one["low"] = low, one["high"] = high;
    }
    all.push_back(one);
  }
  return {{"rows", table.rows()},
          {"columns", all},
          {"delimiter", std::string(1, table.delimiter)},
          {"decimal", std::string(1, table.decimal)},
          {"notes", table.notes}};
}

/// {path, names}: numeric columns of a table, NaN as null.
Json values_of(const Json& q) {
  const Table table = read_csv_file(q.at("path").get<std::string>());
  Json out = Json::object();
  for (const std::string& name : q.at("names").get<std::vector<std::string>>()) {
    const Column& c = table.column(name);
    Json all = Json::array();
    if (c.kind == Column::Kind::text)
      for (const std::string& t : c.texts) all.push_back(t);
    else
      for (const double v : c.values) all.push_back(std::isfinite(v) ? Json(v) : Json());
    out[name] = all;
  }
  return out;
}

/// What the page shows about itself.
Json machine(const Json&) {
  return {{"version", COVARY_VERSION},
          {"machine", internal::machine().text()},
          {"free_bytes", double(internal::memory_available())}};
}

const std::map<std::string, std::function<Json(const Json&)>>& calls() {
  static const std::map<std::string, std::function<Json(const Json&)>> all{
      {"explain", explained},       {"values", with_values},      {"curve", curve},
      {"covariances", covariances}, {"landscape", landscape},     {"fit", fitted},
      {"columns", columns},         {"column_values", values_of}, {"machine", machine}};
  return all;
}

Json failed(const std::string& what, Problem problem) {
  return {{"error", what}, {"code", static_cast<int>(problem)}};
}

Json answered(const std::string& question) {
  try {
    const Json q = Json::parse(question);
    const auto call = calls().find(q.at("call").get<std::string>());
    if (call == calls().end()) return failed("there is no such call", Problem::usage);
    return call->second(q);
  } catch (const Error& e) {
    return failed(e.what(), e.problem());
  } catch (const std::bad_alloc&) {
    return failed("out of memory: the browser gives this page no more", Problem::limit);
  } catch (const std::exception& e) {
    return failed(e.what(), Problem::failed);
  }
}

}  // namespace

std::string answer(const std::string& question) { return answered(question).dump(); }

}  // namespace covary::web
