#include "covary/kernels/named_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/lexer.h"
#include "covary/base/names.h"

namespace covary {
using namespace internal;
namespace {

/// A name may hold hyphens.
std::string name_at(Cursor& in) {
  std::string name = in.word();
  while (in.eat('-')) name += "-" + in.word();
  return name;
}

size_t entry_called(const std::string& name, const std::string& subject, const std::vector<Callable>& known,
                    Cursor& in, size_t position) {
  std::vector<std::string> names;
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].name == name) return i;
    names.push_back(known[i].name);
  }
  in.fail_at(position, fmt::format("there is no {} '{}'{}", subject, name, there_are(name, names)));
}

/// A number, or inf.
double value_at(Cursor& in) {
  const size_t mark = in.mark();
  if (const std::string word = in.word(); word == "inf" || word == "infinity")
    return std::numeric_limits<double>::infinity();
  in.back_to(mark);
  return in.number("a number or inf");
}

/// "method=": it takes a word.
bool takes_word(const std::string& parameter) { return parameter.ends_with('='); }

std::vector<std::string> names_of(const std::vector<std::string>& parameters) {
  std::vector<std::string> out = parameters;
  for (std::string& p : out)
    if (takes_word(p)) p.pop_back();
  return out;
}

Argument argument_at(Cursor& in, const Callable& entry, size_t before, bool positional) {
  const size_t position = in.position();
  const std::vector<std::string> names = names_of(entry.parameters);
  if (positional && (in.at_digits() || in.next_is('-')) && before < entry.parameters.size())
    return {names[before], {value_at(in)}, false};
  const std::string name = in.word();
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    in.fail_at(position,
               fmt::format("{} has no parameter '{}'{}", entry.name, name, did_you_mean(name, names)));
  in.expect('=');
  if (takes_word(entry.parameters[static_cast<size_t>(at - names.begin())]) && !in.at_digits())
    return {.name = name, .values = {}, .word = in.word()};
  return {name, {value_at(in)}, false};
}

}  // namespace

NamedCall internal::read_call(const std::string& text, const std::string& subject,
                              const std::vector<Callable>& known, bool positional) {
  Cursor in(text, subject);
  const size_t position = in.position();
  const size_t entry = entry_called(name_at(in), subject, known, in, position);
  std::vector<Argument> given;
  if (in.eat('(')) {
    while (!in.next_is(')')) {
      given.push_back(argument_at(in, known[entry], given.size(), positional));
      for (size_t i = 0; i + 1 < given.size(); ++i)
        if (given[i].name == given.back().name) in.fail(given[i].name + " was given twice");
      if (!in.eat(',')) break;
    }
    in.expect(')');
  }
  if (!in.done()) in.fail("expected the end, found " + in.found());
  return {entry, Arguments(std::move(given), subject + " " + known[entry].name)};
}

}  // namespace covary
