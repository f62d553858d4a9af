// Numbers and tables as people read them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "covary/learn/summary_words.h"

namespace covary::cli {

/// Rows of equal length, columns padded to the same width and separated by two spaces. Columns that hold only
/// numbers stand to the right.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

/// How many characters a terminal shows for UTF-8 text.
size_t shown_width(std::string_view text);

using internal::in_bytes;
using internal::in_seconds;

/// "a, b, c", of more than eight names the first and how many there are.
std::string listed(const std::vector<std::string>& names);

/// "1 row", "3 rows"; the second form for words that do not just take an s.
std::string counted(long long n, std::string_view one, std::string_view many = "");

}  // namespace covary::cli
