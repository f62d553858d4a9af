#include "covary/basis/formula.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <string_view>

#include "covary/base/names.h"
#include "covary/kernels/expression.h"

namespace covary {
using namespace internal;
namespace {

using Kind = Formula::Step::Kind;

struct Function {
  const char* name;
  double (*value)(double);
};
constexpr std::array<Function, 7> known_functions{{{"exp", [](double x) { return std::exp(x); }},
                                                   {"log", [](double x) { return std::log(x); }},
                                                   {"sqrt", [](double x) { return std::sqrt(x); }},
                                                   {"sin", [](double x) { return std::sin(x); }},
                                                   {"cos", [](double x) { return std::cos(x); }},
                                                   {"tanh", [](double x) { return std::tanh(x); }},
                                                   {"abs", [](double x) { return std::abs(x); }}}};

const Function& function_of(const Formula::Step& s) { return known_functions[static_cast<size_t>(s.index)]; }

bool pushes(Kind k) { return k == Kind::number || k == Kind::column; }
bool takes_one(Kind k) { return k == Kind::negate || k == Kind::function; }

Index deepest(const std::vector<Formula::Step>& steps) {
  Index depth = 0, most = 0;
  for (const Formula::Step& s : steps) {
    depth += pushes(s.kind) ? 1 : takes_one(s.kind) ? 0 : -1;
    assert(depth > 0);
    most = std::max(most, depth);
  }
  assert(depth == 1);
  return most;
}

/// A piece of text and how tightly its outermost operation binds: 1 sums, 2 products, 3 minus, 4 powers, 5.
struct Piece {
  std::string text;
  int binds = 5;
};

std::string as_tight_as(int binds, Piece p) {
  return p.binds >= binds ? std::move(p.text) : "(" + p.text + ")";
}

struct Operator {
  char sign;
  int binds, left, right;  // of the whole; what its sides must be, or stand in brackets
};

Operator operator_of(Kind k) {
  switch (k) {
    case Kind::add:
      return {'+', 1, 1, 2};
    case Kind::subtract:
      return {'-', 1, 1, 2};
    case Kind::multiply:
      return {'*', 2, 2, 3};
    case Kind::divide:
      return {'/', 2, 2, 3};
    default:
      return {'^', 4, 5, 3};
  }
}

Piece joined(Kind k, Piece left, Piece right) {
  const Operator o = operator_of(k);
  std::string text = as_tight_as(o.left, std::move(left));
  text += o.sign;
  text += as_tight_as(o.right, std::move(right));
  return {std::move(text), o.binds};
}

Piece leaf(const Formula::Step& s, const std::vector<std::string>& columns) {
  if (s.kind == Kind::number) return {number_text(s.number)};
  return {quoted_if_needed(columns[static_cast<size_t>(s.index)])};
}

std::string written(const std::vector<Formula::Step>& steps, const std::vector<std::string>& columns) {
  std::vector<Piece> stack;
  for (const Formula::Step& s : steps) {
    if (pushes(s.kind)) {
      stack.push_back(leaf(s, columns));
      continue;
    }
    Piece top = std::move(stack.back());
    stack.pop_back();
    if (s.kind == Kind::negate) {
      stack.push_back({"-" + as_tight_as(3, std::move(top)), 3});
    } else if (s.kind == Kind::function) {
      stack.push_back({std::string(function_of(s).name) + "(" + top.text + ")"});
    } else {
      stack.back() = joined(s.kind, std::move(stack.back()), std::move(top));
    }
  }
  return stack.back().text;
}

using Values = Eigen::Ref<Eigen::ArrayXd>;

void combine(Kind k, Values a, const Values& b) {
  switch (k) {
    case Kind::add:
      a += b;
      break;
    case Kind::subtract:
      a -= b;
      break;
    case Kind::multiply:
      a *= b;
      break;
    case Kind::divide:
      a /= b;
      break;
    default:
      for (Index i = 0; i < a.size(); ++i) a[i] = std::pow(a[i], b[i]);
  }
}

/// The value of the steps at each row of x, in the first column of `stack`.
void run(const std::vector<Formula::Step>& steps, const Rows& x, Eigen::ArrayXXd& stack) {
  Index top = 0;
  const auto values = [&](Index j) { return stack.col(j).head(x.rows()); };
  for (const Formula::Step& s : steps) {
    if (s.kind == Kind::number)
      values(top++) = s.number;
    else if (s.kind == Kind::column)
      values(top++) = x.col(s.index).array();
    else if (s.kind == Kind::negate)
      values(top - 1) = -values(top - 1);
    else if (s.kind == Kind::function)
      for (double& v : values(top - 1)) v = function_of(s).value(v);
    else
      combine(s.kind, values(top - 2), values(top - 1)), --top;
  }
}

}  // namespace

const std::vector<std::string>& internal::formula_functions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    all.reserve(known_functions.size());
    for (const Function& f : known_functions) all.emplace_back(f.name);
    return all;
  }();
  return names;
}

Formula::Formula(std::vector<Formula::Step> steps, const std::vector<std::string>& columns)
    : steps_(std::move(steps)), deepest_(deepest(steps_)), text_(written(steps_, columns)) {}

std::vector<Index> Formula::columns() const {
  std::vector<Index> all;
  for (const Formula::Step& s : steps_)
    if (s.kind == Kind::column) all.push_back(s.index);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Vector Formula::operator()(const Rows& x) const {
  constexpr Index block = 256;
  Vector out(x.rows());
  Eigen::ArrayXXd stack(std::min(block, x.rows()), deepest_);
  for (Index i = 0; i < x.rows(); i += block) {
    const Index n = std::min(block, x.rows() - i);
    run(steps_, x.middleRows(i, n), stack);
    out.segment(i, n) = stack.col(0).head(n);
  }
  return out;
}

}  // namespace covary
