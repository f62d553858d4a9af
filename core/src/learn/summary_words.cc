#include "covary/learn/summary_words.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "covary/base/error.h"
#include "covary/base/finite.h"
#include "covary/base/read_number.h"

namespace covary {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

double internal::finite(double value, std::string_view what) {
  if (std::isfinite(value)) return value;
  throw Error(Problem::numerical,
              fmt::format("{} is {}, not a finite number: the values are too large or too small for the "
                          "arithmetic; rescale the columns",
                          what, value));
}

std::string internal::rounded(double value) { return fmt::format("{:.6g}", finite(value)); }

std::string internal::in_seconds(double s) {
  if (s < 1) return fmt::format("{:.2g} s", s);
  if (s < 100) return fmt::format("{:.0f} s", s);
  if (s < 6000) return fmt::format("{:.0f} min", s / 60);
  return fmt::format("{:.3g} h", s / 3600);
}

std::string internal::in_bytes(double b) {
  return b < 1e9 ? fmt::format("{:.0f} MB", b / 1e6) : fmt::format("{:.3g} GB", b / 1e9);
}

std::string internal::rounded_or(double value, std::string_view otherwise) {
  return std::isfinite(value) ? rounded(value) : std::string(otherwise);
}

std::string internal::rounded_text(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    double value = 0;
    const bool may_begin =
        std::isdigit(static_cast<unsigned char>(text[i])) != 0 && (i == 0 || !in_name(text[i - 1]));
    const auto [end, error] = internal::read_number(text.data() + i, text.data() + text.size(), value);
    size_t length = static_cast<size_t>(end - text.data()) - i;
    if (length > 1 && text[i + length - 1] == '.' && text.substr(i + length).starts_with('.')) --length;
    if (may_begin && error == std::errc()) {
      out += rounded(value);
      i += length;
    } else {
      out += text[i++];
    }
  }
  return out;
}

std::string internal::noise_words(const Noise& noise, double scale) {
  if (noise.per_row() && noise.sd.size() > 0)
    return fmt::format("one sd per row, {} to {}", rounded(scale * noise.sd.minCoeff()),
                       rounded(scale * noise.sd.maxCoeff()));
  if (noise.is_learned()) return "to be learned";
  if (noise.variance == 0) return "none";
  return fmt::format("variance {} (sd {})", rounded(noise.variance),
                     rounded(scale * std::sqrt(noise.variance)));
}

std::string internal::noise_words(const Summary& s) {
  if (s.basis.empty()) return s.noise;
  if (std::isnan(s.residual_sd)) return "not known: too few rows";
  const std::string unknown =
      fmt::format(", estimated: intervals are Student's, {:g} degrees of freedom", s.freedom);
  return fmt::format("sd {}{}", rounded(s.residual_sd), std::isinf(s.freedom) ? "" : unknown);
}

std::string internal::evidence_words(const Summary& s) {
  if (std::isnan(s.log_marginal_likelihood)) return "none: the weights have no prior";
  if (std::isinf(s.log_marginal_likelihood)) return "not defined: the rows are fitted exactly";
  return fmt::format("{:.6f}", s.log_marginal_likelihood);
}

std::string internal::left_out_words(const Summary& s) {
  if (std::isnan(s.loo_rmse)) return "not defined";
  return fmt::format("rmse {}, nlpd {}, skill {:.4f}", rounded(s.loo_rmse),
                     rounded_or(s.loo_nlpd, "not defined"), finite(s.loo_skill));
}

}  // namespace covary
