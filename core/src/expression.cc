#include "covary/expression.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "covary/kernels/columns.h"

namespace covary {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Characters of UTF-8.
size_t characters(std::string_view s) {
  return s.size() - static_cast<size_t>(std::count_if(s.begin(), s.end(), continues_character));
}

/// text[from, to), moved to whole characters; what cannot be printed is escaped.
std::string shown(std::string_view text, size_t from, size_t to) {
  to = std::min(to, text.size());
  while (from > 0 && from < text.size() && continues_character(text[from])) --from;
  while (to < text.size() && continues_character(text[to])) ++to;
  std::string out;
  for (const char c : text.substr(from, to - from)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_word(char c) { return starts_word(c) || (c >= '0' && c <= '9'); }

/// sum := product ('+' product)*;  product := atom ('*' atom)*;  atom := number | call | '(' sum ')'
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Expression read() {
    Expression e = sum();
    if (skip(), at_ < text_.size()) fail("expected '+', '*' or the end, found " + found());
    return e;
  }

 private:
  static constexpr int deepest = 200;

  Expression sum() {
    return list(Expression::Kind::sum, '+', [this] { return product(); });
  }
  Expression product() {
    return list(Expression::Kind::product, '*', [this] { return atom(); });
  }

  template <class Part>
  Expression list(Expression::Kind kind, char separator, Part part) {
    Expression first = part();
    if (!next_is(separator)) return first;
    Expression all;
    all.kind = kind;
    all.position = first.position;
    all.parts.push_back(std::move(first));
    while (eat(separator)) all.parts.push_back(part());
    return all;
  }

  Expression atom() {
    if (++depth_ > deepest) fail(fmt::format("brackets are nested deeper than {}", deepest));
    skip();
    const size_t start = at_;
    Expression e;
    if (eat('('))
      e = sum(), expect(')');
    else if (at_ < text_.size() && starts_word(text_[at_]))
      e = call();
    else
      e.value = number("a kernel or a number");
    e.position = start + 1;
    --depth_;
    return e;
  }

  Expression call() {
    Expression e;
    e.kind = Expression::Kind::call;
    e.name = word();
    if (!eat('(')) return e;
    if (e.name == "fixed") {
      e.parts.push_back(sum());
    } else if (e.name == "on") {
      e.columns = columns();
      expect(',');
      e.parts.push_back(sum());
    } else if (!next_is(')')) {
      do e.arguments.push_back(argument());
      while (eat(','));
    }
    expect(')');
    return e;
  }

  Argument argument() {
    Argument a;
    skip();
    if (at_ < text_.size() && starts_word(text_[at_])) a.name = word(), expect('=');
    if (!(a.list = eat('['))) return a.values = {number("a number or a list")}, a;
    do a.values.push_back(number("a number"));
    while (eat(','));
    expect(']');
    return a;
  }

  std::vector<std::string> columns() {
    if (!eat('[')) return {column()};
    std::vector<std::string> all;
    do all.push_back(column());
    while (eat(','));
    expect(']');
    return all;
  }

  std::string column() {  // a word, a number, or anything in double quotes ("" stands for ")
    skip();
    if (!eat('"')) {
      std::string w = word();
      return w.empty() ? (fail("expected the name of a column, found " + found()), w) : w;
    }
    std::string name;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] != '"')
        name += text_[at_];
      else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"')
        name += text_[at_++];
      else
        return ++at_, name;
    }
    fail("expected '\"' at the end of a column's name");
  }

  double number(const char* expected) {
    skip();
    double value = 0;
    const size_t from = at_ < text_.size() && text_[at_] == '+' ? at_ + 1 : at_;
    const auto [end, error] = fast_float::from_chars(text_.data() + from, text_.data() + text_.size(), value);
    if (error != std::errc{} || !std::isfinite(value))
      fail(fmt::format("expected {}, found {}", expected, found()));
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  std::string word() {
    const size_t start = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  bool next_is(char c) { return skip(), at_ < text_.size() && text_[at_] == c; }
  bool eat(char c) { return next_is(c) && ++at_; }
  void expect(char c) {
    if (!eat(c)) fail(fmt::format("expected '{}', found {}", c, found()));
  }
  std::string found() const {
    return at_ < text_.size() ? fmt::format("'{}'", shown(text_, at_, at_ + 12)) : "the end";
  }
  [[noreturn]] void fail(const std::string& what) const { throw expression_error(text_, at_ + 1, what); }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

template <class X>
Kernel<X> build(const std::string& text, const Expression& e, const std::vector<std::string>& columns);

template <class X>
Kernel<X> call(const std::string& text, const Expression& e, const std::vector<std::string>& columns) {
  if (e.name == "fixed" && e.parts.size() == 1) return fixed(build<X>(text, e.parts[0], columns));
  if (e.name == "on" && e.parts.size() == 1) {
    std::vector<std::string> names;
    const std::vector<Index> ids = find_columns(text, e, columns);
    if (!columns.empty())
      for (const Index k : ids) names.push_back(columns[static_cast<size_t>(k)]);
    return on(ids, build<X>(text, e.parts[0], columns), std::move(names));
  }
  std::vector<std::string> known{"fixed", "on"};
  for (const Entry<X>& entry : registry<X>()) {
    if (entry.name == e.name) return entry.make(named_arguments(text, e, entry.parameters));
    known.push_back(entry.name);
  }
  throw expression_error(text, e.position,
                         fmt::format("no kernel is named '{}'{}", e.name, did_you_mean(e.name, known)));
}

template <class X>
Kernel<X> build(const std::string& text, const Expression& e, const std::vector<std::string>& columns) {
  if (e.kind == Expression::Kind::call) return call<X>(text, e, columns);
  if (e.kind == Expression::Kind::number) {
    check_range("kernel", fmt::format("the variance at position {}", e.position), e.value);
    return Constant<X>{e.value};
  }
  Kernel<X> all = build<X>(text, e.parts[0], columns);
  for (size_t i = 1; i < e.parts.size(); ++i) {
    const Kernel<X> next = build<X>(text, e.parts[i], columns);
    all = e.kind == Expression::Kind::sum ? all + next : all * next;
  }
  return all;
}

}  // namespace

Expression read_expression(std::string_view text) { return Reader(text).read(); }

std::string quoted_if_needed(const std::string& name) {
  bool plain = !name.empty() && starts_word(name[0]);
  for (const char c : name) plain = plain && in_word(c);
  if (plain) return name;
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

Error expression_error(std::string_view text, size_t position, const std::string& what) {
  constexpr size_t most = 60;
  const size_t from = position > most ? position - most : 0;
  return {Problem::usage,
          fmt::format("kernel: {}, at position {} of '{}{}{}'", what,
                      characters(text.substr(0, position - 1)) + 1, from ? "..." : "",
                      shown(text, from, from + 2 * most), text.size() > from + 2 * most ? "..." : "")};
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
  return build<Row>(text, read_expression(text), columns);
}

}  // namespace covary
