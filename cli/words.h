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

/// "0.31 s", "12 s", "7 min", "3.4 h".
std::string in_seconds(double seconds);

/// "340 MB", "2.4 GB": powers of ten.
std::string in_bytes(double bytes);

/// "a, b, c", of more than eight names the first and how many there are.
std::string listed(const std::vector<std::string>& names);

/// "1 row", "3 rows"; the second form for words that do not just take an s.
std::string counted(long long n, std::string_view one, std::string_view many = "");

}  // namespace covary::cli
