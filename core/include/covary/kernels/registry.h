// The table of kernels: one entry each, feeding the parser, the command, the documentation and the tests.
#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "covary/base/error.h"
#include "covary/base/random.h"
#include "covary/kernels/kernel.h"
#include "covary/kernels/records/schema.h"

namespace covary {

struct ItemSet;  // kernels/sets/item_set.h
struct Graph;    // kernels/graphs/graph.h

/// The arguments given to a kernel or a strategy. Names were checked against its entry by the parser.
class Arguments {
 public:
  Arguments() = default;
  /// `subject`: what errors call it.
  explicit Arguments(std::vector<Argument> given, std::string subject = "kernel")
      : given_(std::move(given)), subject_(std::move(subject)) {}
  /// The value, or NaN if it was not given. Throws if a list was given.
  double number(const std::string& name) const;
  /// The values, or an empty vector if it was not given.
  Vector vector(const std::string& name) const;
  /// A whole number from lower to upper, or `otherwise` if it was not given.
  int integer(const std::string& name, int otherwise, int lower, int upper) const;
  /// Whole numbers FIRST..LAST from lower to upper, or one number for both: k=1..3, k=3. The range is an argument
  /// of the kernel's own, no bound of a search.
  std::pair<int, int> integers(const std::string& name, std::pair<int, int> otherwise, int lower,
                               int upper) const;
  /// One of `choices`, or the first of them if it was not given.
  std::string word(const std::string& name, const std::vector<std::string>& choices) const;
  /// The unit of its values, "days", "km" or "degrees"; "" if none was given.
  std::string unit(const std::string& name) const;
  const std::vector<Argument>& all() const { return given_; }

 private:
  const Argument* find(const std::string& name) const;
  std::vector<Argument> given_;
  std::string subject_ = "kernel";
};

/// The behavior of the functions of a kernel, for its description: local (near values are alike), repeating,
/// growing away from 0, or constant.
enum class Nature { local, repeating, growing, level, other };

/// What the columns hold that a kernel over rows reads: numbers (dates are numbers too), codes of categories, or
/// codes of the nodes of a graph.
enum class Reads { numbers, categories, nodes };

/// A kernel as the registry knows it.
template <class X>
struct Entry {
  std::string name;                     // as typed: "matern32"
  std::string formula;                  // "(1 + sqrt3 r) exp(-sqrt3 r)"
  std::string about;                    // one line: when to use it
  std::vector<std::string> parameters;  // names of its arguments
  std::function<Kernel<X>(const Arguments&)> make;
  Index columns = 0;  // how many columns it must have, or 0 for any number
  Nature nature = Nature::local;
  Reads reads = Reads::numbers;
  std::vector<std::string> settings = {};  // those of `parameters` that are no hyper-parameters: k, matrix
  std::vector<std::string> units = {};     // that its arguments may have beside those of dates: km
};

/// What the registry of every index type has.
template <class X>
Entry<X> constant_entry() {
  return {"constant",
          "variance",
          "an unknown level; a number in a sum is the same",
          {"variance"},
          [](const Arguments& a) -> Kernel<X> {
            const double variance = a.number("variance");
            if (variance == variance) internal::check_range("constant", "variance", variance);
            return Constant<X>{variance};
          },
          0,
          Nature::level};
}

/// Every kernel over X, in the order they are listed. A specialization lists those of another index type.
template <class X>
const std::vector<Entry<X>>& registry() {
  static const std::vector<Entry<X>> all{constant_entry<X>()};
  return all;
}
template <>
const std::vector<Entry<Row>>& registry<Row>();
template <>
const std::vector<Entry<std::string>>& registry<std::string>();
template <>
const std::vector<Entry<ItemSet>>& registry<ItemSet>();
template <>
const std::vector<Entry<Graph>>& registry<Graph>();

namespace internal {
/// What a combinator takes in front of its parameters: on(COLUMNS, KERNEL), fixed(KERNEL), features(TEXT).
enum class Form { columns, kernel, text };

/// A call of a combinator with its names looked up.
template <class X>
struct Call {
  Arguments arguments;
  std::vector<Index> columns;      // from 0
  std::vector<std::string> names;  // of those columns; none if the table's are not known
  std::vector<Kernel<X>> kernels;  // they see the columns of the call, if it has some
  std::string text;
  Schema all;  // the columns that the call itself sees
};
}  // namespace internal

/// A kernel made from kernels, columns or a text.
template <class X>
struct Combinator {
  std::string name;
  std::string formula;
  std::string about;
  std::vector<internal::Form> forms;
  std::vector<std::string> parameters;
  std::function<Kernel<X>(const internal::Call<X>&)> make;

  /// Whether it takes kernels: otherwise it is a kernel of its own.
  bool combines() const {
    return std::find(forms.begin(), forms.end(), internal::Form::kernel) != forms.end();
  }
};

/// What the combinators of every index type have.
template <class X>
Combinator<X> fixed_entry() {
  return {"fixed",
          "k(x, z)",
          "a kernel whose parameters are kept as given",
          {internal::Form::kernel},
          {},
          [](const internal::Call<X>& c) { return fixed(c.kernels[0]); }};
}

/// Every combinator over X.
template <class X>
const std::vector<Combinator<X>>& combinators() {
  static const std::vector<Combinator<X>> all{fixed_entry<X>()};
  return all;
}
template <>
const std::vector<Combinator<Row>>& combinators<Row>();

namespace internal {
/// The names that an expression may call: combinators, then kernels.
template <class X>
std::vector<std::string> callable_names() {
  std::vector<std::string> names;
  for (const Combinator<X>& c : combinators<X>()) names.push_back(c.name);
  for (const Entry<X>& e : registry<X>()) names.push_back(e.name);
  return names;
}
}  // namespace internal

}  // namespace covary
