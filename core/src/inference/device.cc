#include <fmt/format.h>

#include "covary/base/error.h"
#include "covary/inference/registry.h"

namespace covary {
using namespace internal;

/// "vecchia(neighbors=30, device=cuda)" -> "vecchia(neighbors=30)".
std::string internal::without_device(const std::string& inference) {
  if (inference == automatic_inference) return Exact().text();
  std::string text = parse_inference<Row>(inference).text();
  const size_t at = text.find("device=");
  if (at == text.npos) return text;
  text.resize(at);
  while (text.ends_with(' ') || text.ends_with(',')) text.pop_back();
  return text + ")";
}

std::string internal::on_device(const std::string& inference, const std::string& device) {
  const bool here = device.empty() || device == "cpu";
  if (inference == automatic_inference && here) return inference;
  if (here) return parse_inference<Row>(inference).text();
  std::string out = without_device(inference);
  if (device == "cluster" && out.starts_with("vecchia(")) return out;  // the ranks share its sums anyway
  if (!out.starts_with("exact(") && !out.starts_with("vecchia("))
    throw Error(Problem::usage,
                fmt::format("device {} computes exact() and vecchia() processes, not {}", device, out));
  out.pop_back();
  return parse_inference<Row>(fmt::format("{}{}device={})", out, out.ends_with('(') ? "" : ", ", device))
      .text();
}

}  // namespace covary
