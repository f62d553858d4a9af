#include "inputs/model_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "command.h"
#include "covary/base/error.h"
#include "covary/kernels/expression.h"
#include "covary/kernels/function.h"
#include "covary/learn/ignored_columns.h"
#include "inputs/tables.h"
#include "words.h"

namespace covary::cli {

const char* const about_target =
    "Column to predict, or a transform of it: 'log(y)', log10, log1p, sqrt, asinh, logit";
const char* const about_kernel =
    "Kernel expression, see covary kernels; auto: matern52() of numbers and dates, times a kernel for each "
    "other type";
const char* const about_mean =
    "Mean function: zero, constant, linear, polynomial(degree=2), or with known coefficients: constant(3), "
    "linear(1, 0.5)";
const char* const about_basis =
    "linear, ridge, bayes: explicit features, as 'x, x*z^2, splines(z, knots=8)' (default: the columns)";

namespace {

[[noreturn]] void no_target(const Table& table) {
  throw Error(Problem::usage,
              fmt::format("--target is needed: which column of {} is to be predicted? It has {}",
                          table.source, fmt::join(table.names(), ", ")));
}

/// The column of `--noise column:NAME`, or "".
std::string noise_column(const ModelArguments& a) {
  constexpr std::string_view prefix = "column:";
  return a.noise.starts_with(prefix) ? a.noise.substr(prefix.size()) : "";
}

void check_features(const Table& table, const std::string& target, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    table.column(name);  // throws with the nearest name
    if (name == target) throw Error(Problem::usage, fmt::format("--features: '{}' is the target", name));
    if (std::count(names.begin(), names.end(), name) > 1)
      throw Error(Problem::usage, fmt::format("--features: '{}' is named twice", name));
  }
}

/// The columns that the basis of a linear model uses; empty if it uses all of them, or if there is no basis.
std::vector<std::string> basis_columns(const Table& table, const ModelArguments& a,
                                       const std::string& target) {
  if (a.basis.empty() || !request_of(a).is_linear()) return {};
  std::vector<std::string> known = table.names(), out;
  std::erase(known, target);
  try {
    for (const Index k : internal::columns_used(a.basis, known)) out.push_back(known[static_cast<size_t>(k)]);
  } catch (const Error&) {  // said where the model is made
    return {};
  }
  return out.size() == known.size() ? std::vector<std::string>{} : out;
}

std::vector<TypeRequest> type_requests(const ModelArguments& a) {
  std::vector<TypeRequest> out;
  for (const std::string& text : a.types) out.push_back(parse_type(text));
  return out;
}

/// The columns that may be inputs where none are named: all but the target, the noise and what names the rows.
std::vector<std::string> candidates(const Table& table, const ModelArguments& a, const std::string& target,
                                    Messages& messages) {
  std::vector<std::string> out, empty, labels;
  for (const Column& c : table.columns) {
    if (!c.named() || c.name == target || c.name == noise_column(a)) continue;
    const bool none = std::cmp_equal(c.missing.size(), table.rows());
    (c.label ? labels : none ? empty : out).push_back(c.name);
  }
  if (!labels.empty()) messages.note("left out, labels: " + listed(labels));
  if (!empty.empty()) messages.note("left out, without any value: " + listed(empty));
  return out;
}

/// Numbers and dates, and what the kernel reads besides; not a category that names the rows unless it says so.
std::vector<Index> columns_in_use(const Schema& all, const ModelArguments& a, const std::string& rows) {
  const bool linear = request_of(a).is_linear(), by_types = a.kernel == "auto";
  std::vector<Index> out = internal::input_columns(all, linear || by_types ? "" : a.kernel);
  std::erase_if(out, [&](Index k) {
    return !internal::holds_numbers(all[k].type) && (linear || (by_types && all[k].name == rows));
  });
  return out;
}

/// "name (type)" of the columns that are not in use.
std::vector<std::string> left_out_of(const Schema& all, const std::vector<Index>& used) {
  std::vector<std::string> out;
  for (Index k = 0; k < all.size(); ++k)
    if (std::count(used.begin(), used.end(), k) == 0)
      out.push_back(fmt::format("{} ({})", all[k].name, text_of(all[k].type)));
  return out;
}

void note_left_out(const Schema& all, const std::vector<Index>& used, Messages& messages) {
  const std::vector<std::string> out = left_out_of(all, used);
  if (!out.empty()) messages.note(fmt::format("left out, not read by the kernel: {}", listed(out)));
}

/// Those asked for, those of the basis, or every column that the kernel can read, with their types.
Schema chosen_columns(const Table& table, const ModelArguments& a, const std::string& target,
                      Messages& messages) {
  const std::vector<TypeRequest> requests = type_requests(a);
  const std::shared_ptr<const Network> network = network_in(a.graph, a.csv, messages);
  if (a.schema.size() > 0) return a.schema;
  if (!a.features.empty()) {
    const std::vector<std::string> names = names_in(a.features);
    check_features(table, target, names);
    Schema named = schema_of(table, names, requests, network);
    internal::check_nodes(table, named, network);
    return named;
  }
  if (std::vector<std::string> used = basis_columns(table, a, target); !used.empty())
    return schema_of(table, used, requests, network);
  const Schema all = schema_of(table, candidates(table, a, target, messages), requests, network);
  internal::check_nodes(table, all, network);
  const std::vector<Index> used = columns_in_use(all, a, naming_column_name(table, {target}));
  note_left_out(all, used, messages);
  Schema out = all.only(used);
  if (out.size() == 0)
    throw Error(Problem::data,
                fmt::format("{}: no column of numbers is left to predict '{}' from{}", table.source, target,
                            all.size() == 0 ? ""
                                            : fmt::format("; --features takes the others: {}",
                                                          listed(left_out_of(all, used)))));
  for (const std::string& name : identifiers(table, out.names()))
    messages.note(fmt::format(
        "'{}' looks like an identifier and is used as an input: --labels {} leaves it out", name, name));
  return out;
}

/// Throws unless `text` is one of `words` or a positive number.
void check_positive(const std::string& option, const std::string& text,
                    const std::vector<std::string>& words) {
  if (std::count(words.begin(), words.end(), text) > 0 || number_in(text).value_or(0) > 0) return;
  throw Error(Problem::usage, fmt::format("{}: expected a positive number or {}, found '{}'", option,
                                          fmt::join(words, " or "), text));
}

/// The variance of --noise where that is a number.
double variance_in(const std::string& text) {
  const std::optional<double> variance = number_in(text);
  if (variance && *variance >= 0) return *variance;
  throw Error(
      Problem::usage,
      fmt::format("--noise: expected learn, a variance (0 or more) or column:NAME, found '{}'", text));
}

Noise chosen_noise(const Table& table, const ModelArguments& a, const std::vector<Index>& rows) {
  if (a.noise == "learn") return Noise::learn();
  const std::string column = noise_column(a);
  if (column.empty()) return Noise::of(variance_in(a.noise));
  const Vector sd = internal::numbers(table, {column}, rows).col(0);
  for (Index i = 0; i < sd.size(); ++i)
    if (!(sd[i] > 0))
      throw Error(Problem::data, fmt::format("{}: expected a positive standard deviation, found {}",
                                             table.where(rows[static_cast<size_t>(i)], column), sd[i]));
  return Noise::rows(sd);
}

}  // namespace

void check_domain(const TargetColumn& target, const Table& table, const std::vector<Index>& rows,
                  const Vector& y) {
  for (Index i = 0; i < y.size(); ++i)
    if (!target.transform.takes(y[i]))
      throw Error(Problem::data,
                  fmt::format("{}: {}", table.where(rows[static_cast<size_t>(i)], target.column),
                              target.transform.refusal(target.column, y[i])));
}

namespace {

/// A note on columns with thousands of categories.
void note_many_levels(const Schema& schema, const Matrix& x, Messages& messages) {
  constexpr size_t many = 1000;
  for (Index k = 0; k < schema.size(); ++k) {
    if (schema[k].type != ColumnType::category) continue;
    const size_t levels = std::set<double>(x.col(k).begin(), x.col(k).end()).size();
    if (levels >= many)
      messages.note(
          fmt::format("column '{}' has {} categories in {} rows, {:.1f} rows each: if it names the "
                      "rows, --labels '{}' leaves it out; text is read by spectrum()",
                      schema[k].name, levels, x.rows(), double(x.rows()) / double(levels), schema[k].name));
  }
}

/// A note on the cost of kernels of long texts, before anything is evaluated.
void note_long_texts(const Selection& s, const ModelArguments& a, Messages& messages) {
  constexpr double long_text = 1000, long_time = 3e9;
  double longest = 0;
  for (Index k = 0; k < s.schema.size(); ++k)
    for (Index i = 0; i < s.x.rows() && s.schema[k].type == ColumnType::text; ++i)
      longest = std::max(longest, double(s.schema.text(k, s.x(i, k)).size()));
  if (longest < long_text || request_of(a).is_linear()) return;
  for (const internal::TextCost& c :
       internal::text_costs(parse(kernel_of(a, s), s.schema).node(), s.schema, s.x))
    if (c.steps >= long_time)
      messages.note(fmt::format(
          "column '{}': {} texts of up to {} bytes; a covariance matrix of {} takes some "
          "{:.0e} steps, about {}, and {}",
          s.schema[c.column].name, c.texts, c.longest, c.kernel, c.steps, in_seconds(1e-9 * c.steps),
          c.once ? "is computed once" : "is computed for each evaluation of a search"));
}

Selection select(const Table& table, const ModelArguments& a, Messages& messages) {
  if (a.target.empty()) no_target(table);
  const TargetColumn target = parse_target(a.target, table.names());
  table.column(target.column);
  if (!noise_column(a).empty()) table.column(noise_column(a));
  Selection s;
  s.target = target;
  s.schema = chosen_columns(table, a, target.column, messages);
  s.features = s.schema.names();
  std::vector<std::string> used = internal::required_columns(s.schema);
  used.push_back(target.column);
  if (!noise_column(a).empty()) used.push_back(noise_column(a));
  const std::vector<Index> rows = rows_in_use(table, used, a.missing);
  if (const std::string note = dropped_note(table, used, std::ssize(rows)); !note.empty())
    messages.note(note);
  s.x = encoded(table, s.schema, rows);
  note_many_levels(s.schema, s.x, messages);
  note_long_texts(s, a, messages);
  s.y = internal::numbers(table, {target.column}, rows).col(0);
  check_domain(target, table, rows, s.y);
  s.noise = chosen_noise(table, a, rows);
  s.rows = rows;
  if (std::ssize(rows) <= most_named_rows) s.names = row_names(table, rows, s.features);
  return s;
}

}  // namespace

Training read_training(const ModelArguments& a, Messages& messages) {
  return training_of(read_table(a.data, a.csv, messages), a, messages);
}

Training training_of(Table table, const ModelArguments& a, Messages& messages) {
  Training t{std::move(table), {}};
  t.selection = select(t.table, a, messages);
  return t;
}

void check_readable_rows(const Training& t, const ModelArguments& a) {
  const Selection& s = t.selection;
  if (s.x.rows() == 0 || request_of(a).is_linear()) return;
  internal::check_readable(parse(kernel_of(a, s), s.schema), t.table, s.schema, s.rows, s.x, s.x.topRows(1));
}

Model<Row> model_of(const Selection& s, const std::string& kernel, const std::string& mean) {
  return {parse(kernel, s.schema), parse_mean(mean, s.schema), s.noise};
}

FitOptions options_of(const ModelArguments& a, const Selection& s, Messages& messages) {
  FitOptions o = a.options;
  o.prior = a.prior == "none" ? Prior::none : Prior::weak;
  o.objective = a.objective == "evidence" ? ObjectiveKind::evidence : ObjectiveKind::leave_one_out;
  o.columns = s.features;
  o.inference = internal::on_device(a.inference, a.device);
  o.progress = [&messages](const Progress& p) {
    messages.progress(p);
    return true;
  };
  return o;
}

std::string kernel_of(const ModelArguments& a, const Selection& s) {
  return a.kernel == "auto" ? internal::default_kernel(s.schema) : a.kernel;
}

Request request_of(const ModelArguments& a, const Selection& s) {
  Request out = request_of(a);
  out.transform = s.target.transform;
  out.kernel = kernel_of(a, s);
  if (!internal::is_plain(s.schema)) out.schema = s.schema;
  return out;
}

Request request_of(const ModelArguments& a) {
  Request out;
  out.data = a.data == "-" ? "standard input" : a.data;
  out.kernel = a.kernel, out.mean = a.mean, out.noise = a.noise, out.model = a.model;
  out.prior = a.prior == "none" ? Prior::none : Prior::weak;
  out.objective = a.objective == "evidence" ? ObjectiveKind::evidence : ObjectiveKind::leave_one_out;
  out.starts = a.options.starts, out.seed = a.options.seed;
  out.inference = internal::on_device(a.inference, a.device);
  out.penalty = a.penalty, out.basis = a.basis, out.prior_sd = a.prior_sd;
  out.intercept = a.intercept == "yes", out.standardize = a.standardize == "yes";
  out.side = a.side == "auto" ? Side::automatic : a.side == "weights" ? Side::weights : Side::functions;
  out.undetermined = a.undetermined == "error" ? Undetermined::error : Undetermined::minimum_norm;
  return out;
}

void check_request(const ModelArguments& a) {
  check_positive("--penalty", a.penalty, {"leave-one-out", "generalized", "evidence"});
  check_positive("--prior-sd", a.prior_sd, {"learn"});
  if (noise_column(a).empty() && a.noise != "learn") (void)variance_in(a.noise);
  internal::check(request_of(a));
  for (const std::string& type : a.types) (void)parse_type(type);
  if (!request_of(a).is_linear() && a.kernel != "auto") (void)internal::read_expression(a.kernel);
}

void check_model_options(const CLI::App& verb, const std::string& model) {
  const std::vector<std::string> of_processes{"--kernel", "--mean"},
      of_learning{"--prior", "--objective", "--inference", "--device"},
      of_weights{"--basis", "--intercept", "--side", "--undetermined"}, of_priors{"--standardize"};
  const auto refuse = [&](const std::vector<std::string>& options) {
    refuse_given(verb, options, "does not apply to --model " + model);
  };
  const bool weights = model == "linear" || model == "ridge" || model == "bayes";
  refuse(weights ? of_processes : of_weights);
  if (weights) refuse(of_learning), refuse({"--starts"});
  if (model == "gp" || model == "kernel-ridge" || model == "linear") refuse(of_priors);
  if (model != "bayes") refuse({"--prior-sd"});
  if (model != "ridge" && model != "kernel-ridge") refuse({"--penalty"});
  if (model == "kernel-ridge") refuse({"--noise", "--objective", "--inference", "--device"});
}

void add_model_option(CLI::App& verb, ModelArguments& a) {
  add_choice(verb, "--model", a.model, {"gp", "linear", "ridge", "bayes", "kernel-ridge"},
             "Model: a Gaussian process (gp), regression on explicit features (linear, ridge, bayes) or "
             "kernel ridge");
}

void add_linear_options(CLI::App& verb, ModelArguments& a) {
  add_choice(verb, "--intercept", a.intercept, {"yes", "no"},
             "linear, ridge, bayes: include an unpenalized intercept");
  verb.add_option("--penalty", a.penalty,
                  "ridge, kernel-ridge: penalty, a number or how to choose it: leave-one-out, generalized, "
                  "or (ridge) evidence")
      ->type_name("P")
      ->capture_default_str();
  verb.add_option("--prior-sd", a.prior_sd,
                  "bayes: prior standard deviation of every weight, or learn (by evidence)")
      ->type_name("SD")
      ->capture_default_str();
  add_choice(verb, "--standardize", a.standardize, {"yes", "no"},
             "ridge, bayes: penalty or prior for the weights of standardized features");
  add_choice(verb, "--side", a.side, {"auto", "weights", "functions"},
             "linear, ridge, bayes: weight space or function space; auto: the cheaper one");
  add_choice(verb, "--undetermined", a.undetermined, {"smallest", "error"},
             "linear, ridge, bayes: treatment of weights that the rows do not determine");
}

void add_table_options(CLI::App& verb, ModelArguments& a, const char* target) {
  if (target != nullptr) verb.add_option("-t,--target", a.target, target)->type_name("NAME");
  verb.add_option(
          "-f,--features", a.features,
          "Input columns (default: all columns of numbers and dates, and those that the kernel reads)")
      ->type_name("A,B");
  add_type_options(verb, a.types, a.graph);
  add_missing_option(verb, a.missing);
  add_csv_options(verb, a.csv);
}

void add_type_options(CLI::App& verb, std::vector<std::string>& types, std::string& graph) {
  verb.add_option(
          "--type", types,
          "Type of a column, in place of the detected one: number, boolean, date, date(dmy), category, "
          "category(low, high) with its levels in order, category(NA) with missing cells as a level, text, "
          "set, graph, node; repeatable")
      ->type_name("COLUMN=TYPE")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  verb.add_option("--graph", graph,
                  "Network whose nodes a column names: a table of edges, from, to and perhaps a weight")
      ->type_name("EDGES");
}

std::shared_ptr<const Network> network_in(const std::string& path, const CsvArguments& csv,
                                          Messages& messages) {
  if (path.empty()) return nullptr;
  return read_network(read_other_table(path, csv, messages));
}

void add_noise_option(CLI::App& verb, ModelArguments& a, bool by_row) {
  verb.add_option(
          "--noise", a.noise,
          by_row
              ? "Noise variance: learn, a number (0: none), or column:NAME with a standard deviation per row"
              : "Noise variance: learn, or a number (0: none)")
      ->type_name("NOISE")
      ->capture_default_str();
}

void add_learning_options(CLI::App& verb, ModelArguments& a) {
  add_choice(verb, "--prior", a.prior, {"weak", "none"},
             "Prior of the hyper-parameters; none: plain maximum likelihood");
  add_choice(verb, "--objective", a.objective, {"evidence", "leave-one-out"}, "Objective to maximize");
  verb.add_option(
          "--inference", a.inference,
          "Inference method: exact(), vecchia(neighbors=30), inducing(points=512), ...; auto: "
          "exact up to 3000 rows, and while a fit takes at most --max-seconds (600 s) and the free memory")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--starts", a.options.starts, "Number of optimizer starts")
      ->transform(whole(1, 10000))
      ->type_name("N")
      ->capture_default_str();
  add_seed(verb, a.options.seed);
  add_threads(verb, a.options.threads);
  add_device(verb, a.device);
  verb.add_option("--max-seconds", a.options.max_seconds, "Time limit of the search, in seconds")
      ->transform(positive())
      ->type_name("S");
}

void add_request_options(CLI::App& verb, ModelArguments& a) {
  add_model_option(verb, a);
  verb.add_option("-k,--kernel", a.kernel, about_kernel)->type_name("EXPR")->capture_default_str();
  verb.add_option("-m,--mean", a.mean, about_mean)->type_name("TREND")->capture_default_str();
  add_noise_option(verb, a);
  verb.add_option("--basis", a.basis, about_basis)->type_name("LIST");
  add_linear_options(verb, a);
  add_learning_options(verb, a);
}

}  // namespace covary::cli
