#include <fmt/format.h>

#include "covary/base/error.h"
#include "covary/inference/registry.h"

namespace covary {
using namespace internal;

std::string internal::without_device(const std::string& inference) {
  const std::string text = parse_inference<Row>(inference).text();
  return text.starts_with("exact(") ? Exact().text() : text;
}

std::string internal::on_device(const std::string& inference, const std::string& device) {
  const std::string text = parse_inference<Row>(inference).text();
  if (device.empty() || device == "cpu") return text;
  if (device == "cluster" && text.starts_with("vecchia("))
    return text;  // its sums are those of all ranks anyway
  if (without_device(inference) != Exact().text())
    throw Error(Problem::usage, fmt::format("device {} computes exact() processes, not {}", device, text));
  return parse_inference<Row>(fmt::format("exact(device={})", device)).text();
}

}  // namespace covary
