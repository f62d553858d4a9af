#include "basis/formula_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace covary {
using namespace internal;
namespace {

using Kind = Formula::Step::Kind;

/// sum := product (('+' | '-') product)*     product := signed (('*' | '/') signed)*
/// signed := ('-' | '+') signed | power      power := atom ('^' signed)?
/// atom := number | column | function '(' sum ')' | '(' sum ')'
class FormulaReader {
 public:
  FormulaReader(Cursor& at, const std::vector<std::string>& columns) : at_(at), columns_(columns) {}

  std::vector<Formula::Step> read() {
    sum();
    return std::move(steps_);
  }

 private:
  static constexpr size_t most = 10'000;

  void sum() {
    product();
    while (at_.next_is('+') || at_.next_is('-')) {
      const Kind kind = at_.eat('+') ? Kind::add : (at_.eat('-'), Kind::subtract);
      product();
      take({kind});
    }
  }

  void product() {
    with_sign();
    while (at_.next_is('*') || at_.next_is('/')) {
      const Kind kind = at_.eat('*') ? Kind::multiply : (at_.eat('/'), Kind::divide);
      if (kind == Kind::multiply && at_.next_is('*')) at_.fail("a power is written ^, found '**'");
      with_sign();
      take({kind});
    }
  }

  void with_sign() {
    at_.enter();
    if (at_.eat('-')) {
      with_sign();
      take({Kind::negate});
    } else if (at_.eat('+')) {
      with_sign();
    } else {
      power();
    }
    at_.leave();
  }

  void power() {
    atom();
    if (!at_.eat('^')) return;
    with_sign();
    take({Kind::power});
  }

  void atom() {
    if (at_.eat('('))
      sum(), close();
    else if (at_.at_digits())
      take({Kind::number, at_.number("a number")});
    else if (at_.at_word() || at_.next_is('"'))
      name();
    else
      at_.fail("expected a column, a number or '(', found " + at_.found());
  }

  void name() {
    const bool word = at_.at_word();
    const size_t position = at_.position();
    const std::string name = at_.column();
    if (!word || !at_.eat('(')) return take({Kind::column, 0, column_named(at_, position, name, columns_)});
    const std::vector<std::string>& known = formula_functions();
    const auto it = std::find(known.begin(), known.end(), name);
    if (it == known.end())
      at_.fail_at(position, fmt::format("no function is named '{}'{}", name, did_you_mean(name, known)));
    sum(), close();
    take({Kind::function, 0, it - known.begin()});
  }

  void close() {
    if (!at_.eat(')')) at_.fail("expected an operator or ')', found " + at_.found());
  }

  void take(Formula::Step s) {
    if (steps_.size() == most) at_.fail(fmt::format("a formula has more than {} parts", most));
    steps_.push_back(s);
  }

  Cursor& at_;
  const std::vector<std::string>& columns_;
  std::vector<Formula::Step> steps_;
};

}  // namespace

Index column_named(Cursor& at, size_t position, const std::string& name,
                   const std::vector<std::string>& columns) {
  const auto it = std::find(columns.begin(), columns.end(), name);
  if (it == columns.end())
    at.fail_at(position, fmt::format("no column is named '{}'{}", name, did_you_mean(name, columns)));
  return it - columns.begin();
}

Formula read_formula(Cursor& at, const std::vector<std::string>& columns) {
  return {FormulaReader(at, columns).read(), columns};
}

Formula internal::parse_formula(const std::string& text, const std::vector<std::string>& columns) {
  Cursor at(text, "formula");
  Formula f = read_formula(at, columns);
  if (!at.done()) at.fail("expected an operator or the end, found " + at.found());
  return f;
}

}  // namespace covary
