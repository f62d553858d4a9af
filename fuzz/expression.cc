// Any text as a kernel, and as a trend: read, or refused with a usage or limit Error; what is read prints as
// text that reads back the same.
#include "covary/kernels/expression.h"

#include <algorithm>
#include <cstdint>

#include "covary/process/mean.h"
#include "require.h"

namespace {

using fuzz::require;

template <class F>
void refused_or(F read) {
  try {
    read();
  } catch (const covary::Error& e) {
    require(e.problem() == covary::Problem::usage || e.problem() == covary::Problem::limit,
            "a usage or limit Error, not: " + std::string(e.what()));
  }
}

/// Equal in every entry; what is not given, and still to be learned, is NaN.
bool same(const covary::Vector& a, const covary::Vector& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](double x, double y) { return x == y || (x != x && y != y); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes are text here
  const std::vector<std::string> columns{"temp", "b", "sea depth"};
  refused_or([&] { covary::internal::read_expression(text); });
  refused_or([&] {
    const covary::Kernel<covary::Row> kernel = covary::parse<covary::Row>(text, columns);
    const std::string printed = kernel.text();
    const covary::Kernel<covary::Row> again = covary::parse<covary::Row>(printed, columns);
    require(again.text() == printed, "'" + printed + "' prints as '" + again.text() + "'");
    require(same(again.theta(), kernel.theta()), "the same parameters after '" + printed + "'");
  });
  refused_or([&] {
    const std::string printed = covary::parse_mean(text, columns).text;
    require(covary::parse_mean(printed, columns).text == printed, "the trend '" + printed + "'");
  });
  return 0;
}
