#include "covary/kernels/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/lexer.h"
#include "covary/kernels/expression_hints.h"
#include "covary/kernels/function.h"
#include "covary/kernels/restricted.h"

namespace covary {
namespace {

const Combinator<Row>* combinator(const std::string& name) {
  for (const Combinator<Row>& c : combinators<Row>())
    if (c.name == name) return &c;
  return nullptr;
}

/// sum := product ('+' product)*;  product := atom ('*' atom)*;  atom := number | call | '(' sum ')'
class ExpressionReader {
 public:
  explicit ExpressionReader(std::string_view text) : at_(text, "kernel") {}

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
    const Combinator<Row>* c = combinator(e.name);
    for (size_t i = 0; c && i < c->forms.size(); ++i) {
      if (i > 0) at_.expect(',');
      if (c->forms[i] == Form::columns) e.columns = columns();
      if (c->forms[i] == Form::kernel) e.parts.push_back(sum());
      if (c->forms[i] == Form::text) e.text = at_.column();
    }
    if (c ? at_.eat(',') : !at_.next_is(')')) {
      do e.arguments.push_back(argument());
      while (at_.eat(','));
    }
    at_.expect(')');
    return e;
  }

  Argument argument() {
    Argument a;
    if (at_.at_word()) a.name = at_.word(), at_.expect('=');
    if (!(a.list = at_.eat('['))) return value(a, "a number or a list"), a;
    do value(a, "a number");
    while (at_.eat(','));
    at_.expect(']');
    return a;
  }

  /// value := number | 'fixed' '(' number ')' | [number 'in'] number '..' number
  void value(Argument& a, const char* expected) {
    Limits l;
    const size_t start = at_.position();
    double v = std::numeric_limits<double>::quiet_NaN();
    if (at_.at_word()) {
      if (at_.word() != "fixed") at_.fail_at(start, fmt::format("expected {}, found a word", expected));
      at_.expect('('), v = at_.number("a number"), at_.expect(')'), l.fixed = true;
    } else {
      v = at_.number(expected);
      if (at_.eat_range()) {
        l.lower = v, l.upper = at_.number("the upper end of a range");
        v = std::numeric_limits<double>::quiet_NaN();
      } else if (at_.at_word()) {
        if (at_.word() != "in") at_.fail("expected 'in' and a range, ',' or ')', found " + at_.found());
        l.lower = at_.number("the lower end of a range");
        if (!at_.eat_range()) at_.fail("expected '..', found " + at_.found());
        l.upper = at_.number("the upper end of a range");
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
};

template <class X>
Kernel<X> build(const std::string& text, const Expression& e, const std::vector<std::string>& columns,
                const Functions& own);

/// A call of a function: each of its parameters by name or in order.
Kernel<Row> function_kernel(const std::string& text, const Expression& e,
                            const std::shared_ptr<const BlockFunction>& f) {
  const Arguments a = named_arguments(text, e, f->parameters);
  Vector values(std::ssize(f->parameters));
  for (Index i = 0; i < values.size(); ++i) values[i] = a.number(f->parameters[static_cast<size_t>(i)]);
  return restricted(kernel_of(f, values), a);
}

/// The kernels inside see the columns that the call names, where it names some.
template <class X>
Kernel<X> combined(const std::string& text, const Expression& e, const Combinator<X>& c,
                   const std::vector<std::string>& columns, const Functions& own) {
  Call<X> call{
      named_arguments(text, e, c.parameters), find_columns(text, e, columns), {}, {}, e.text, columns};
  if (!columns.empty())
    for (const Index k : call.columns) call.names.push_back(columns[static_cast<size_t>(k)]);
  for (const Expression& part : e.parts)
    call.kernels.push_back(build<X>(text, part, e.columns.empty() ? columns : call.names, own));
  return restricted(c.make(call), call.arguments);
}

template <class X>
Kernel<X> call(const std::string& text, const Expression& e, const std::vector<std::string>& columns,
               const Functions& own) {
  for (const Combinator<X>& c : combinators<X>())
    if (c.name == e.name && e.parts.empty() != c.combines()) return combined<X>(text, e, c, columns, own);
  for (const Entry<X>& entry : registry<X>())
    if (entry.name == e.name) {
      const Arguments a = named_arguments(text, e, entry.parameters);
      return restricted(entry.make(a), a);
    }
  std::vector<std::string> known = callable_names();
  for (const auto& f : own) {
    if (f->name == e.name) return function_kernel(text, e, f);
    known.push_back(f->name);
  }
  throw expression_error(text, e.position,
                         fmt::format("no kernel is named '{}'{}", e.name, kernel_hint(e, known)));
}

template <class X>
Kernel<X> build(const std::string& text, const Expression& e, const std::vector<std::string>& columns,
                const Functions& own) {
  if (e.kind == Expression::Kind::call) return call<X>(text, e, columns, own);
  if (e.kind == Expression::Kind::number) {
    check_range("kernel", fmt::format("the variance at position {}", e.position), e.value);
    return Constant<X>{e.value};
  }
  Kernel<X> all = build<X>(text, e.parts[0], columns, own);
  for (size_t i = 1; i < e.parts.size(); ++i) {
    const Kernel<X> next = build<X>(text, e.parts[i], columns, own);
    all = e.kind == Expression::Kind::sum ? all + next : all * next;
  }
  return all;
}

}  // namespace

Expression read_expression(std::string_view text) { return ExpressionReader(text).read(); }

Error expression_error(std::string_view text, size_t position, const std::string& what) {
  return text_error("kernel", text, position, what);
}

Arguments named_arguments(const std::string& text, const Expression& call,
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

std::vector<Index> find_columns(const std::string& text, const Expression& call,
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
  return parse(text, columns, Functions{});
}

Kernel<Row> parse(const std::string& text, const std::vector<std::string>& columns,
                  const Functions& functions) {
  return build<Row>(text, read_expression(text), columns, functions);
}

}  // namespace covary
