// Validation of text: UTF-8 without NUL bytes.
#pragma once
#include <cstddef>
#include <string_view>

namespace covary::csv {

/// The length of the longest prefix that is whole, valid UTF-8 characters other than NUL. Overlong forms,
/// surrogates and what is past U+10FFFF are not valid.
size_t text_prefix(std::string_view bytes);

}  // namespace covary::csv
