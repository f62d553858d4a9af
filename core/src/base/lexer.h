// A place in a text that is being read, and the pieces that kernels, formulas and features are written with.
#pragma once
#include <string>
#include <string_view>

#include "covary/base/error.h"

namespace covary {

/// The usage Error of a text: "SUBJECT: WHAT, at position P of 'TEXT'". `position` counts bytes from 1, the
/// message says characters.
Error text_error(std::string_view subject, std::string_view text, size_t position, const std::string& what);

/// Spaces between pieces are skipped. What does not fit throws a text_error of the subject ("kernel").
class Cursor {
 public:
  Cursor(std::string_view text, std::string_view subject) : text_(text), subject_(subject) {}

  bool done() { return skip(), at_ >= text_.size(); }
  size_t position() { return skip(), at_ + 1; }  // of the next piece, in bytes from 1
  bool next_is(char c) { return skip(), at_ < text_.size() && text_[at_] == c; }
  bool eat(char c) { return next_is(c) && ++at_; }
  void expect(char c);

  bool at_word();                             // a letter or _ comes next
  bool at_digits();                           // a digit or . comes next
  std::string word();                         // letters, digits, _; "" if there are none
  std::string column();                       // a word, or anything in double quotes ("" stands for ")
  double number(const char* expected);        // finite, perhaps with a sign
  bool eat_range();                           // the two dots of 1..10
  std::string_view balanced(char a, char b);  // up to an a or b outside brackets and quotes, or the end

  /// Brackets within brackets: enter() at each, which throws beyond 50, and leave().
  void enter();
  void leave() { --depth_; }
  /// To look ahead: where it is, and back to there.
  size_t mark() const { return at_; }
  void back_to(size_t mark) { at_ = mark; }

  std::string found();  // "'3 + x'" or "the end"
  [[noreturn]] void fail(const std::string& what) { fail_at(position(), what); }
  [[noreturn]] void fail_at(size_t position, const std::string& what) const;

 private:
  void skip();
  std::string_view text_, subject_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace covary
