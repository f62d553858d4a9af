#include "covary/kernels/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/lexer.h"
#include "covary/kernels/expression_hints.h"
#include "covary/kernels/function.h"

namespace covary {
using namespace internal;
namespace {

struct Unit {
  const char *name, *plural, *base;
  double size;  // in the base unit
};

/// A year is the mean one of the Gregorian calendar, a month its twelfth.
const std::vector<Unit>& units() {
  constexpr double year = 365.2425;
  static const std::vector<Unit> all{{"year", "years", "days", year},
                                     {"month", "months", "days", year / 12},
                                     {"week", "weeks", "days", 7},
                                     {"day", "days", "days", 1},
                                     {"hour", "hours", "days", 1.0 / 24},
                                     {"minute", "minutes", "days", 1.0 / 1440},
                                     {"second", "seconds", "days", 1.0 / 86400},
                                     {"km", "kilometres", "km", 1},
                                     {"kilometer", "kilometers", "km", 1},
                                     {"degree", "degrees", "degrees", 1}};
  return all;
}

std::vector<std::string> unit_names() {
  std::vector<std::string> all;
  for (const Unit& u : units()) all.emplace_back(u.plural);
  return all;
}

/// sum := product ('+' product)*;  product := atom ('*' atom)*;  atom := number | call | '(' sum ')'
class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, const internal::FormsOf& forms)
      : at_(text, "kernel"), forms_(forms) {}

  Expression read() {
    Expression e = sum();
    if (!at_.done()) at_.fail("expected '+', '*' or the end, found " + at_.found());
    return e;
  }

 private:
  Expression sum() {
    return list(Expression::Kind::sum, '+', [this] { return product(); });
  }
  Expression product() {
    return list(Expression::Kind::product, '*', [this] { return atom(); });
  }

  template <class Part>
  Expression list(Expression::Kind kind, char separator, Part part) {
    Expression first = part();
    if (!at_.next_is(separator)) return first;
    Expression all;
    all.kind = kind;
    all.position = first.position;
    all.parts.push_back(std::move(first));
    while (at_.eat(separator)) all.parts.push_back(part());
    return all;
  }

  Expression atom() {
    at_.enter();
    const size_t start = at_.position();
    Expression e;
    if (at_.eat('('))
      e = sum(), at_.expect(')');
    else if (at_.at_word())
      e = call();
    else
      e.value = at_.number("a kernel or a number");
    e.position = start;
    at_.leave();
    return e;
  }

  Expression call() {
    Expression e;
    e.kind = Expression::Kind::call;
    e.name = at_.word();
    if (!at_.eat('(')) return e;
    const std::vector<Form>* forms = forms_(e.name);
    for (size_t i = 0; forms && i < forms->size(); ++i) {
      if (i > 0) at_.expect(',');
      const Form form = (*forms)[i];
      if (form == Form::columns) e.columns = columns();
      if (form == Form::kernel) e.parts.push_back(sum());
      if (form == Form::text) e.text = at_.column();
    }
    if (forms ? at_.eat(',') : !at_.next_is(')')) {
      do e.arguments.push_back(argument());
      while (at_.eat(','));
    }
    at_.expect(')');
    return e;
  }

  Argument argument() {
    Argument a;
    if (at_.at_word()) a.name = at_.word(), at_.expect('=');
    if (const std::string word = lone_word(); !word.empty()) return a.word = word, a;
    if (!(a.list = at_.eat('['))) return value(a, "a number or a list"), a;
    do value(a, "a number");
    while (at_.eat(','));
    at_.expect(']');
    return a;
  }

  /// A word that is no call, as blosum62 in matrix=blosum62; "" and nothing read if there is none.
  std::string lone_word() {
    const size_t mark = at_.mark();
    std::string word = at_.at_word() ? at_.word() : "";
    const bool number = word == "nan" || word == "inf";  // that is none, and is refused as one
    if (!number && (word.empty() || !at_.next_is('('))) return word;
    return at_.back_to(mark), "";
  }

  /// number [unit], as 12 or 1 year, in the base unit of its kind: days, km, degrees.
  double measured(Argument& a, const char* expected) {
    const double v = at_.number(expected);
    const size_t mark = at_.mark(), position = at_.position();
    const std::string word = at_.at_word() ? at_.word() : "";
    if (word.empty() || word == "in") return at_.back_to(mark), v;
    for (const Unit& u : units()) {
      if (word != u.name && word != u.plural) continue;
      if (!a.unit.empty() && a.unit != u.base)
        at_.fail_at(position, fmt::format("{} is given both in {} and in {}", a.name, a.unit, u.base));
      a.unit = u.base;
      return v * u.size;
    }
    at_.fail_at(position, fmt::format("no unit is called '{}'{}", word, did_you_mean(word, unit_names())));
  }

  /// value := amount | 'fixed' '(' amount ')' | [amount 'in'] amount '..' amount,  amount := number [unit]
  void value(Argument& a, const char* expected) {
    Limits l;
    const size_t start = at_.position();
    double v = std::numeric_limits<double>::quiet_NaN();
    if (at_.at_word()) {
      if (at_.word() != "fixed") at_.fail_at(start, fmt::format("expected {}, found a word", expected));
      at_.expect('('), v = measured(a, "a number"), at_.expect(')'), l.fixed = true;
    } else {
      v = measured(a, expected);
      if (at_.eat_range()) {
        l.lower = v, l.upper = measured(a, "the upper end of a range");
        v = std::numeric_limits<double>::quiet_NaN();
      } else if (at_.at_word()) {
        if (at_.word() != "in") at_.fail("expected 'in' and a range, ',' or ')', found " + at_.found());
        l.lower = measured(a, "the lower end of a range");
        if (!at_.eat_range()) at_.fail("expected '..', found " + at_.found());
        l.upper = measured(a, "the upper end of a range");
      }
      if (l.any() && !(l.lower > 0 && l.lower < l.upper))
        at_.fail_at(start,
                    fmt::format("a range LOW..HIGH needs 0 < LOW < HIGH, found {}..{}", l.lower, l.upper));
      if (l.any() && (v < l.lower || v > l.upper))
        at_.fail_at(start, fmt::format("{} is outside its range {}..{}", v, l.lower, l.upper));
    }
    a.values.push_back(v), a.limits.push_back(l);
  }

  std::vector<std::string> columns() {
    if (!at_.eat('[')) return {at_.column()};
    std::vector<std::string> all;
    do all.push_back(at_.column());
    while (at_.eat(','));
    at_.expect(']');
    return all;
  }

  Cursor at_;
  const internal::FormsOf& forms_;
};

/// A call of a function: each of its parameters by name or in order.
Kernel<Row> function_kernel(const std::string& text, const Expression& e,
                            const std::shared_ptr<const BlockFunction>& f) {
  const Arguments a = named_arguments(text, e, f->parameters);
  Vector values(std::ssize(f->parameters));
  for (Index i = 0; i < values.size(); ++i) values[i] = a.number(f->parameters[static_cast<size_t>(i)]);
  return restricted(kernel_of(f, values), a);
}

}  // namespace

namespace internal {

Expression read_tree(std::string_view text, const FormsOf& forms) {
  return ExpressionReader(text, forms).read();
}

Error unknown_kernel(const std::string& text, const Expression& call, const std::vector<std::string>& known) {
  return expression_error(text, call.position,
                          fmt::format("no kernel is named '{}'{}", call.name, kernel_hint(call, known)));
}

void check_variance(const Expression& number) {
  check_range("kernel", fmt::format("the variance at position {}", number.position), number.value);
}

}  // namespace internal

Error internal::expression_error(std::string_view text, size_t position, const std::string& what) {
  return text_error("kernel", text, position, what);
}

Arguments internal::named_arguments(const std::string& text, const Expression& call,
                                    const std::vector<std::string>& known) {
  std::vector<Argument> named = call.arguments;
  for (size_t i = 0; i < named.size(); ++i) {
    std::string& name = named[i].name;
    if (name.empty() && i >= known.size())
      throw expression_error(
          text, call.position,
          fmt::format("{} takes {} arguments, found {}", call.name, known.size(), named.size()));
    if (name.empty()) name = known[i];
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw expression_error(text, call.position,
                             fmt::format("{} has no parameter '{}'{} (it has: {})", call.name, name,
                                         did_you_mean(name, known), fmt::join(known, ", ")));
    for (size_t j = 0; j < i; ++j)
      if (named[j].name == name)
        throw expression_error(text, call.position, fmt::format("{} is given '{}' twice", call.name, name));
  }
  return Arguments(std::move(named));
}

std::vector<Index> internal::find_columns(const std::string& text, const Expression& call,
                                          const std::vector<std::string>& columns) {
  std::vector<Index> ids;
  for (const std::string& name : call.columns) {
    const auto it = std::find(columns.begin(), columns.end(), name);
    if (it != columns.end()) {
      ids.push_back(it - columns.begin());
      continue;
    }
    Index number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool whole = error == std::errc{} && end == name.data() + name.size();
    if (!whole || number < 1 || (!columns.empty() && number > std::ssize(columns)))
      throw expression_error(text, call.position,
                             fmt::format("no column is named '{}'{}", name, did_you_mean(name, columns)));
    ids.push_back(number - 1);
  }
  return ids;
}

template <>
Kernel<Row> parse<Row>(const std::string& text, const std::vector<std::string>& columns) {
  return parse(text, Schema(columns), Functions{});
}

Kernel<Row> parse(const std::string& text, const Schema& columns, const Functions& functions) {
  internal::OwnCalls<Row> own;
  for (const auto& f : functions) own.names.push_back(f->name);
  own.make = [&](size_t which, const Expression& e) { return function_kernel(text, e, functions[which]); };
  return internal::build<Row>(text, read_expression(text), {columns}, own);
}

}  // namespace covary
