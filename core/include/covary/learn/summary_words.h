// The wording that a summary and the command's report share.
#pragma once
#include <string>
#include <string_view>

#include "covary/learn/summary.h"
#include "covary/process/noise.h"

namespace covary::internal {

/// Six significant digits, without needless zeros.
std::string rounded(double value);

/// "0.31 s", "12 s", "7 min", "3.4 h".
std::string in_seconds(double seconds);

/// "340 MB", "2.4 GB": powers of ten.
std::string in_bytes(double bytes);

/// `text` with every number in it rounded to six significant digits; digits in names stay.
std::string rounded_text(std::string_view text);

/// "variance 0.04 (sd 0.2)", "one sd per row, 0.1 to 0.3", "none". The noise is of y / scale, sds are of y.
std::string noise_words(const Noise& noise, double scale);

/// The same of any model: "sd 0.2, estimated: intervals are Student's, 12 degrees of freedom" of weights.
std::string noise_words(const Summary& summary);

/// The log marginal likelihood, or why there is none.
std::string evidence_words(const Summary& summary);

/// "rmse 0.3, nlpd 1.2, skill 0.9100", or "not defined".
std::string left_out_words(const Summary& summary);

}  // namespace covary::internal
