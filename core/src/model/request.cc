#include "covary/model/request.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "covary/base/error.h"
#include "covary/base/names.h"
#include "covary/base/row_names.h"
#include "covary/kernels/expression.h"
#include "covary/learn/ignored_columns.h"

namespace covary {
using namespace internal;
namespace {

/// A finite number, if the text is one.
std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

/// Empty for `word`. Throws a usage Error unless the text is that or a number.
std::optional<double> number_or(const std::string& text, const std::string& word, const char* what) {
  if (text == word) return {};
  if (const std::optional<double> value = number(text)) return value;
  throw Error(Problem::usage, fmt::format("{}: expected {} or a number, found '{}'", what, word, text));
}

const std::vector<std::pair<const char*, RidgeOptions::By>> ways{
    {"leave-one-out", RidgeOptions::By::leave_one_out},
    {"generalized", RidgeOptions::By::generalized},
    {"generalised", RidgeOptions::By::generalized},  // in files of earlier versions
    {"evidence", RidgeOptions::By::evidence}};

/// The rule that chooses a penalty; `given` if it is a number.
RidgeOptions::By way_of(const std::string& penalty) {
  for (const auto& [word, by] : ways)
    if (penalty == word) return by;
  if (number(penalty)) return RidgeOptions::By::given;
  throw Error(
      Problem::usage,
      fmt::format("penalty: expected a number, leave-one-out, generalized or evidence, found '{}'", penalty));
}

std::string all_columns(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const std::string& c : columns) names.push_back(quoted_if_needed(c));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The note on constant columns that are ignored.
void note_ignored(Summary& s, const HeldColumns& held, const std::vector<std::string>& columns) {
  for (const HeldColumn& h : held) {
    const bool named = std::cmp_less(h.column, columns.size());
    const std::string name =
        named ? "'" + columns[static_cast<size_t>(h.column)] + "'" : std::to_string(h.column + 1);
    std::replace(s.notes.begin(), s.notes.end(), constant_note(name, false), constant_note(name, true));
  }
}

/// Codes that are the same, as those of two columns of different texts, say nothing.
void forget_identical_codes(Summary& s, const Schema& columns) {
  for (const TypedColumn& a : columns.columns())
    for (const TypedColumn& b : columns.columns())
      if (a.codes || b.codes) std::erase(s.notes, identical_note("'" + a.name + "'", "'" + b.name + "'"));
}

}  // namespace

Schema internal::schema_of(const Request& request, const std::vector<std::string>& columns) {
  return request.schema.size() > 0 ? request.schema : Schema(columns);
}

void internal::check(const Request& request) {
  if (request.is_linear()) {
    (void)number_or(request.noise, "learn", "noise");
    (void)number_or(request.prior_sd, "learn", "prior sd");
    (void)way_of(request.penalty);
  } else if (request.model == "kernel-ridge") {
    (void)kernel_ridge_options(request);
  }
}

LinearModel internal::linear_model(const Request& request, const std::vector<std::string>& columns) {
  for (const TypedColumn& c : request.schema.columns())
    if (!holds_numbers(c.type))
      throw Error(Problem::usage,
                  fmt::format("--model {} reads numbers, and column '{}' holds a {}: leave it out, "
                              "or fit a process, whose kernels read it",
                              request.model, c.name, text_of(c.type)));
  LinearModel m{.features =
                    parse_features(request.basis.empty() ? all_columns(columns) : request.basis, columns)};
  m.method = request.model == "linear"  ? Method::linear
             : request.model == "ridge" ? Method::ridge
                                        : Method::bayes;
  m.intercept = request.intercept, m.standardize = request.standardize;
  if (m.method == Method::ridge) {
    const RidgeOptions::By by = way_of(request.penalty);
    if (by == RidgeOptions::By::given)
      m.penalty = number(request.penalty);
    else
      m.choose = by;
  }
  if (m.method == Method::bayes) m.prior_sd = number_or(request.prior_sd, "learn", "prior sd");
  m.noise = number_or(request.noise, "learn", "noise");
  m.side = request.side, m.undetermined = request.undetermined;
  return m;
}

namespace {

FitOptions by_inference(FitOptions options, const Request& request) {
  options.inference = request.inference;
  return options;
}

}  // namespace

FitResult<Row> internal::fit_transformed(const Request& request, const Noise& noise, const Rows& x,
                                         const Vector& z, const FitOptions& options) {
  const HeldColumns held = ignored_columns(request, options.columns, x);
  const Schema columns = schema_of(request, options.columns);
  if (request.is_linear()) return fit(ignoring(held, linear_model(request, options.columns)), x, z, options);
  const Model<Row> model =
      ignoring(held, Model<Row>{parse(request.kernel, columns, request.functions),
                                mean_of(request.mean_function, request.mean, columns), noise});
  FitResult<Row> f = request.model == "kernel-ridge"
                         ? fit_kernel_ridge(model, x, z, kernel_ridge_options(request), options)
                         : fit(model, x, z, by_inference(options, request));
  note_ignored(f.summary, held, options.columns);
  forget_identical_codes(f.summary, columns);
  return f;
}

KernelRidgeOptions internal::kernel_ridge_options(const Request& request) {
  KernelRidgeOptions o;
  const RidgeOptions::By by = way_of(request.penalty);
  if (by == RidgeOptions::By::evidence)
    throw Error(Problem::usage,
                "penalty: kernel ridge chooses by leave-one-out or generalized; a gp by evidence");
  if (by == RidgeOptions::By::given) o.penalty = number(request.penalty);
  o.by = by == RidgeOptions::By::generalized ? KernelRidgeOptions::By::generalized
                                             : KernelRidgeOptions::By::leave_one_out;
  return o;
}

HeldColumns internal::ignored_columns(const Request& request, const std::vector<std::string>& columns,
                                      const Rows& x) {
  if (request.is_linear()) return constant_columns(x);
  if (request.kernel.empty()) return {};
  return ignored_columns(parse(request.kernel, schema_of(request, columns), request.functions).amplified(),
                         x);
}

}  // namespace covary
