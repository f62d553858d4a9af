// Windows-1252, the character set of spreadsheets in western Europe, as UTF-8.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace covary::csv {

/// Whether every byte stands for a character of text: none of the five that are undefined, and no control
/// characters but tab, LF and CR.
bool is_windows1252(std::string_view bytes);

/// The same characters as UTF-8. Needs is_windows1252(bytes).
std::string utf8_of_windows1252(std::string_view bytes);

}  // namespace covary::csv
