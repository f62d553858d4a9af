#include "numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <functional>

#include "command.h"
#include "covary/base/error.h"
#include "covary/base/percent.h"
#include "covary/base/read_number.h"

namespace covary::cli {
namespace {

/// The whole of `text`, a leading + allowed, as a T.
template <class T>
std::optional<T> parsed(const std::string& text) {
  const char* end = text.data() + text.size();
  const char* begin = text.data() + (text.starts_with('+') && !text.starts_with("+-") ? 1 : 0);
  T value{};
  std::from_chars_result read{};
  if constexpr (std::is_floating_point_v<T>)
    read = internal::read_number(begin, end, value);
  else
    read = std::from_chars(begin, end, value);
  const auto [stopped, error] = read;
  if (error != std::errc() || stopped != end) return {};
  return value;
}

/// Takes what `allowed` does and writes it as the option's own reader understands it: 010 is ten.
template <class T>
CLI::Validator taking(const std::string& expected, const std::function<bool(T)>& allowed) {
  const auto check = [expected, allowed](std::string& text) -> std::string {
    const std::optional<T> value = parsed<T>(text);
    if (!value || !allowed(*value)) return fmt::format("expected {}, found '{}'", expected, text);
    text = fmt::format("{}", *value);
    return "";
  };
  return {check, ""};
}

}  // namespace

std::optional<double> number_in(const std::string& text) {
  const std::optional<double> value = parsed<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::vector<double> numbers_in(const std::string& text, const std::string& what) {
  std::vector<double> out;
  for (const std::string& name : names_in(text)) {
    const std::optional<double> value = number_in(name);
    if (!value) throw Error(Problem::usage, fmt::format("{}: expected a number, found '{}'", what, name));
    out.push_back(*value);
  }
  return out;
}

std::vector<double> percents_in(const std::string& text, const std::string& what) {
  std::vector<double> out = numbers_in(text, what);
  for (const double percent : out) internal::check_percent(percent, what);
  return out;
}

CLI::Validator whole(std::int64_t lower, std::int64_t upper) {
  return taking<std::int64_t>(fmt::format("a whole number from {} to {}", lower, upper),
                              [=](std::int64_t v) { return v >= lower && v <= upper; });
}

CLI::Validator number(double lower, double upper) {
  return taking<double>(fmt::format("a number from {} to {}", lower, upper),
                        [=](double v) { return v >= lower && v <= upper; });
}

CLI::Validator positive() {
  return taking<double>("a positive number", [](double v) { return v > 0 && std::isfinite(v); });
}

CLI::Validator positive_or_infinite() {
  return taking<double>("a positive number or inf", [](double v) { return v > 0; });
}

CLI::Validator not_negative() {
  return taking<double>("0 or a positive number", [](double v) { return v >= 0 && std::isfinite(v); });
}

CLI::Validator open_share() {
  return taking<double>("a number above 0 and below 1", [](double v) { return v > 0 && v < 1; });
}

void add_seed(CLI::App& verb, std::uint64_t& seed) {
  const auto any = [](std::uint64_t) { return true; };
  verb.add_option("--seed", seed, "Random seed")
      ->transform(taking<std::uint64_t>("a whole number from 0 to 18446744073709551615", any))
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace covary::cli
