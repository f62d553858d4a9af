#include "covary/kernels/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace covary {
using namespace internal;

// Every kernel over rows. To add one, write kernels/NAME.cc with `Entry<Row> entries::NAME()` and name it
// here.
#define COVARY_KERNELS(KERNEL) \
  KERNEL(constant)             \
  KERNEL(se)                   \
  KERNEL(matern12)             \
  KERNEL(matern32)             \
  KERNEL(matern52)             \
  KERNEL(rational_quadratic)   \
  KERNEL(wendland)             \
  KERNEL(periodic)             \
  KERNEL(cosine)               \
  KERNEL(linear)               \
  KERNEL(polynomial)           \
  KERNEL(category)             \
  KERNEL(category_pairs)       \
  KERNEL(ordinal)              \
  KERNEL(diffusion)            \
  KERNEL(graph_matern)         \
  KERNEL(circular)             \
  KERNEL(sphere_se)            \
  KERNEL(sphere_matern12)      \
  KERNEL(sphere_matern32)      \
  KERNEL(sphere_matern52)      \
  KERNEL(jaccard)              \
  KERNEL(minmax)               \
  KERNEL(intersection)

// What makes kernels from kernels, columns or a text: `Combinator<Row> entries::NAME()`.
#define COVARY_COMBINATORS(COMBINATOR) \
  COMBINATOR(fixed)                    \
  COMBINATOR(on)                       \
  COMBINATOR(features)

namespace entries {

#define COVARY_DECLARE(name) Entry<Row> name();
COVARY_KERNELS(COVARY_DECLARE)
#define COVARY_DECLARE_COMBINATOR(name) Combinator<Row> name();
COVARY_COMBINATORS(COVARY_DECLARE_COMBINATOR)

Entry<Row> constant() { return constant_entry<Row>(); }
Combinator<Row> fixed() { return fixed_entry<Row>(); }

}  // namespace entries

template <>
const std::vector<Entry<Row>>& registry<Row>() {
#define COVARY_LIST(name) entries::name(),
  static const std::vector<Entry<Row>> all{COVARY_KERNELS(COVARY_LIST)};
  return all;
}

template <>
const std::vector<Combinator<Row>>& combinators<Row>() {
  static const std::vector<Combinator<Row>> all{COVARY_COMBINATORS(COVARY_LIST)};
  return all;
}

const Argument* Arguments::find(const std::string& name) const {
  for (const Argument& a : given_)
    if (a.name == name) return &a;
  return nullptr;
}

double Arguments::number(const std::string& name) const {
  const Argument* a = find(name);
  if (!a) return std::numeric_limits<double>::quiet_NaN();
  if (!a->word.empty())
    throw Error(Problem::usage, fmt::format("{}: {} takes a number, found '{}'", subject_, name, a->word));
  if (a->list)
    throw Error(Problem::usage, fmt::format("{}: {} takes one number, found a list", subject_, name));
  return a->values[0];
}

Vector Arguments::vector(const std::string& name) const {
  const Argument* a = find(name);
  if (a && !a->word.empty())
    throw Error(Problem::usage, fmt::format("{}: {} takes numbers, found '{}'", subject_, name, a->word));
  if (!a || (a->values.size() == 1 && std::isnan(a->values[0]))) return Vector(0);
  return Eigen::Map<const Vector>(a->values.data(), std::ssize(a->values));
}

int Arguments::integer(const std::string& name, int otherwise, int lower, int upper) const {
  const double value = number(name);
  const Argument* a = find(name);
  if (a && std::isnan(value) && !a->limits.empty() && a->limits[0].any())
    throw Error(Problem::usage,
                fmt::format("{}: {} is not learned, so it cannot have a range", subject_, name));
  if (std::isnan(value)) return otherwise;
  if (value != std::floor(value) || value < lower || value > upper)
    throw Error(Problem::usage, fmt::format("{}: {} must be a whole number from {} to {}, found {}", subject_,
                                            name, lower, upper, value));
  return static_cast<int>(value);
}

std::pair<int, int> Arguments::integers(const std::string& name, std::pair<int, int> otherwise, int lower,
                                        int upper) const {
  const Argument* a = find(name);
  if (!a) return otherwise;
  const double value = number(name);
  const bool range = std::isnan(value) && !a->limits.empty();
  const double first = range ? a->limits[0].lower : value, last = range ? a->limits[0].upper : value;
  const bool whole = first == std::floor(first) && last == std::floor(last);
  if (!whole || first < lower || last > upper)
    throw Error(Problem::usage,
                fmt::format("{}: {} must be a whole number or a range of them, from {} to {}, found {}{}",
                            subject_, name, lower, upper, first, range ? fmt::format("..{}", last) : ""));
  return {static_cast<int>(first), static_cast<int>(last)};
}

std::string Arguments::unit(const std::string& name) const {
  const Argument* a = find(name);
  return a ? a->unit : "";
}

std::string Arguments::word(const std::string& name, const std::vector<std::string>& choices) const {
  const Argument* a = find(name);
  if (!a) return choices.front();
  for (const std::string& choice : choices)
    if (a->word == choice) return choice;
  throw Error(Problem::usage,
              fmt::format("{}: {} must be one of {}, found {}", subject_, name, fmt::join(choices, ", "),
                          a->word.empty() ? "a number" : "'" + a->word + "'"));
}

}  // namespace covary
