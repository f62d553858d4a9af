// Model files: a fitted model kept, and read back to the same bits.
//
// JSON, for any model; the data are kept, and the model is conditioned on them again at the first query:
//
//   {"format":"covary model","version":7,"checksum":"fnv1a64:89abcdef01234567",
//   "model":{"model":"gp", "kernel":"...","mean":"...","noise_variance":..., "features":[...], "target":"y",
//   "data":{...}, "asked":{...}, "summary":{...}, ...}}
//
// A linear, ridge or Bayesian linear model has "weights":{...} in the place of kernel and mean. Numbers are
// written so that they read back to the same double. The checksum is of the version and every byte after the
// first line. The same data, request and seed give the same bytes.
//
// Binary, under a name that ends in .covary: the same JSON without the arrays, and the arrays in the layout of
// safetensors (x, y, noise_sd). Where it takes longer to factorize the covariance than to read the factor, that
// is kept too ("factor": the columns of the lower triangle of L, one after the other), and the model answers
// without factorizing anything.
//
// Still read are version 6, which knows no types of columns, 5, whose inference has no variables, 4, which knows
// no inference, 3, which knows no transform of the target, 2, which knows processes alone, and 1, which lacks
// "asked" and most of the summary.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "covary/model/fitted_model.h"

namespace covary {

namespace internal {
/// A fingerprint of the training data, kept in the file: "fnv1a64:89abcdef01234567". Of the bits of x, row by
/// row, then y.
std::string data_hash(const Rows& x, const Vector& y);
}  // namespace internal

/// The file as JSON. Throws Problem::usage if the kernel or the mean uses a function of the program.
std::string model_text(const FittedModel& model);

/// Reads it back. Throws Problem::data, calling it `source`, unless every byte is as it was written: damaged,
/// cut short, edited, of another format or of a newer version. Never allocates more than a multiple of the
/// text.
FittedModel parse_model(std::string_view text, const std::string& source = "model");

namespace internal {
/// The bytes of a file of this name, in parts; nothing as large as the arrays is ever made.
void write_model(const FittedModel& model, const std::string& name,
                 const std::function<void(std::string_view)>& write);
}  // namespace internal

/// To and from a file ("-" reads standard input), in the format that its name or its first bytes say. The file
/// appears whole or not at all.
void save_model(const FittedModel& model, const std::string& path);
FittedModel load_model(const std::string& path);

namespace internal {
/// Whether the file begins as one of either format. Not standard input.
bool is_model_file(const std::string& path);
}  // namespace internal

}  // namespace covary
