#include "covary/base/read_number.h"

#include <version>

#ifndef __cpp_lib_to_chars
#include <fast_float/fast_float.h>

#include <cmath>
#endif

namespace covary {

std::from_chars_result internal::read_number(const char* from, const char* to, double& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(from, to, value);
#else
  double read = 0;
  const auto [end, error] = fast_float::from_chars(from, to, read);
  const char first = from == end ? 'n' : *(*from == '-' ? from + 1 : from);
  const bool digits = (first >= '0' && first <= '9') || first == '.';
  if (error == std::errc{} && std::isinf(read) && digits) return {end, std::errc::result_out_of_range};
  if (error == std::errc{}) value = read;
  return {end, error};
#endif
}

}  // namespace covary
