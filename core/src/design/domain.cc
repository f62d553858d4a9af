#include "covary/design/domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "covary/base/names.h"
#include "covary/base/random.h"
#include "covary/base/read_number.h"
#include "covary/model/records.h"
#include "model/booleans.h"

namespace covary {
using namespace internal;
namespace {

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, problem] = read_number(text.data(), end, value);
  if (problem != std::errc() || at != end || !std::isfinite(value)) return {};
  return value;
}

std::vector<std::string> split_at(const std::string& text, char between) {
  std::vector<std::string> out;
  size_t from = 0;
  for (size_t to; (to = text.find(between, from)) != text.npos; from = to + 1)
    out.push_back(text.substr(from, to - from));
  out.push_back(text.substr(from));
  return out;
}

/// 12 digits of a lattice's value, so that 5 + 1 * 0.1 is 5.1.
double rounded_value(double x) { return number_of(fmt::format("{:.12g}", x)).value_or(x); }

constexpr double most_places = 1e9;

[[noreturn]] void refuse(const std::string& name, const std::string& words) {
  throw Error(Problem::usage, fmt::format("domain of '{}': {}", name, words));
}

void check_axis(const DomainAxis& a) {
  if (!a.values.empty()) return;
  if (!std::isfinite(a.lower) || !std::isfinite(a.upper) || !(a.lower < a.upper))
    refuse(a.name, fmt::format("expected a lower end below the upper one, found {}:{}", a.lower, a.upper));
  if (!(a.step >= 0 && std::isfinite(a.step)))
    refuse(a.name, fmt::format("expected a positive step, found {}", a.step));
  if (a.step > a.upper - a.lower)
    refuse(a.name, fmt::format("the step {} is longer than {}:{}", a.step, a.lower, a.upper));
  if (a.step > 0 && (a.upper - a.lower) / a.step > most_places)
    refuse(a.name, fmt::format("{:g} values are too many: give no step", (a.upper - a.lower) / a.step));
}

/// The values of a list as the inputs have them.
Vector listed_values(const DomainAxis& a, const Schema& schema, Index k) {
  Vector out(std::ssize(a.values));
  for (Index i = 0; i < out.size(); ++i) {
    const std::string& text = a.values[static_cast<size_t>(i)];
    if (schema[k].codes) {
      out[i] = schema.code(k, text);
      continue;
    }
    const bool boolean = schema[k].type == ColumnType::boolean;
    const std::optional<double> value = boolean && boolean_in(text) ? boolean_in(text) : number_of(text);
    if (!value)
      refuse(a.name, fmt::format("expected {}, found '{}'", boolean ? "yes or no" : "a number", text));
    out[i] = *value;
  }
  if (!schema[k].codes) std::sort(out.begin(), out.end());
  for (Index i = 0; i < out.size(); ++i)
    for (Index j = 0; j < i; ++j)
      if (out[i] == out[j]) refuse(a.name, fmt::format("'{}' stands there twice", schema.text(k, out[i])));
  return out;
}

}  // namespace

DomainAxis parse_axis(const std::string& text) {
  const size_t is = text.rfind('=');
  if (is == text.npos || is == 0 || is + 1 == text.size())
    throw Error(
        Problem::usage,
        fmt::format("expected NAME=LOWER:UPPER, NAME=LOWER:UPPER:STEP or NAME=VALUE,VALUE,..., found '{}'",
                    text));
  DomainAxis out{text.substr(0, is)};
  const std::string rest = text.substr(is + 1);
  const std::vector<std::string> ends = split_at(rest, ':');
  if (ends.size() == 1) {
    out.values = split_at(rest, ',');
    for (const std::string& v : out.values)
      if (v.empty()) refuse(out.name, fmt::format("a value is missing in '{}'", rest));
    return out;
  }
  std::vector<double> numbers;
  for (const std::string& e : ends) {
    const std::optional<double> value = number_of(e);
    if (!value) refuse(out.name, fmt::format("expected a number, found '{}' in '{}'", e, rest));
    numbers.push_back(*value);
  }
  if (numbers.size() > 3)
    refuse(out.name, fmt::format("expected LOWER:UPPER or LOWER:UPPER:STEP, found '{}'", rest));
  out.lower = numbers[0], out.upper = numbers[1];
  if (numbers.size() == 3) {
    out.step = numbers[2];
    if (!(out.step > 0)) refuse(out.name, fmt::format("expected a positive step, found {}", out.step));
  }
  check_axis(out);
  return out;
}

double internal::Domain::Column::value(Index place) const {
  return values.size() ? values[place] : rounded_value(lower + double(place) * step);
}

Index internal::Domain::Column::nearest(double x) const {
  if (!values.size())
    return std::clamp<Index>(Index(std::round((std::clamp(x, lower, upper) - lower) / step)), 0, places - 1);
  Index best = 0;
  (values.array() - x).abs().minCoeff(&best);
  return best;
}

internal::Domain::Domain(const std::vector<DomainAxis>& axes, const FittedModel& model) {
  const Schema schema = schema_of(model->request, model->features);
  const std::vector<std::string> used = model->used_features();
  held_ = Vector::Zero(schema.size());
  for (const HeldColumn& h : model->held_columns()) held_[h.column] = h.value;
  std::vector<char> given(static_cast<size_t>(schema.size()), 0);
  for (const DomainAxis& a : axes) {
    check_axis(a);
    const auto found = std::find(model->features.begin(), model->features.end(), a.name);
    if (found == model->features.end())
      throw Error(Problem::usage, fmt::format("domain: the model has no column '{}'{}", a.name,
                                              there_are(a.name, model->features)));
    const Index k = found - model->features.begin();
    if (given[static_cast<size_t>(k)]++) refuse(a.name, "it was given twice");
    if (holds_dates(schema[k].type)) refuse(a.name, "it holds dates: give candidates in a table");
    if (schema[k].codes && a.values.empty())
      refuse(a.name,
             fmt::format("it holds {} values: list them, as {}=A,B", text_of(schema[k].type), a.name));
    Column c{k, a.lower, a.upper, a.step};
    if (!a.values.empty()) c.values = listed_values(a, schema, k), c.places = c.values.size();
    if (a.values.empty() && a.step > 0)
      c.places = Index((a.upper - a.lower) / a.step * (1 + 1e-12) + 1e-9) + 1;
    columns_.push_back(std::move(c));
  }
  for (const std::string& name : used) {
    const Index k = std::find(model->features.begin(), model->features.end(), name) - model->features.begin();
    if (!given[static_cast<size_t>(k)])
      throw Error(Problem::usage, fmt::format("domain: column '{}' of the model has no range", name));
  }
  if (size() <= 1)
    throw Error(Problem::usage, "domain: it has a single point; give at least one column a range");
}

double internal::Domain::size() const {
  double out = 1;
  for (const Column& c : columns_)
    out *= c.places ? double(c.places) : std::numeric_limits<double>::infinity();
  return out;
}

Matrix internal::Domain::inputs(const Matrix& u) const {
  Matrix out = held_.transpose().replicate(u.rows(), 1);
  for (size_t j = 0; j < columns_.size(); ++j) {
    const Column& c = columns_[j];
    for (Index i = 0; i < u.rows(); ++i) {
      const double at = u(i, Index(j));
      out(i, c.at) = c.places ? c.value(std::clamp<Index>(Index(at * double(c.places)), 0, c.places - 1))
                              : std::clamp(c.lower + at * (c.upper - c.lower), c.lower, c.upper);
    }
  }
  return out;
}

Matrix internal::Domain::nearest(const Rows& x) const {
  Matrix out = held_.transpose().replicate(x.rows(), 1);
  for (const Column& c : columns_)
    for (Index i = 0; i < x.rows(); ++i)
      out(i, c.at) = c.places ? c.value(c.nearest(x(i, c.at))) : std::clamp(x(i, c.at), c.lower, c.upper);
  return out;
}

Matrix internal::quasi_random(Index n, Index c, std::uint64_t seed) {
  Random rng(seed);
  Matrix u(n, c);
  const bool sobol = c <= 1000;
  boost::random::sobol engine(sobol ? static_cast<size_t>(c) : 1);
  Vector shift(c);
  for (double& s : shift) s = rng.uniform();
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < c; ++j) {
      const double at = (sobol ? boost::random::uniform_01<double>()(engine) : rng.uniform()) + shift[j];
      u(i, j) = at - std::floor(at);
    }
  return u;
}

}  // namespace covary
