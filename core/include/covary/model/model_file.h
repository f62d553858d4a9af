// Model files: a fitted model kept as versioned JSON, and read back to the same bits.
//
//   {"format":"covary model","version":4,"checksum":"fnv1a64:89abcdef01234567",
//   "model":{"model":"gp", "kernel":"...","mean":"...","noise":..., "features":[...], "target":"y",
//   "data":{...}, "asked":{...}, "summary":{...}, ...}}
//
// A linear, ridge or Bayesian linear model has "weights":{...} in the place of kernel and mean. The data are
// kept, and the model is conditioned on them again when it is first asked. Numbers are written so that
// they read back to the same double. The checksum is of the version and every byte after the first line. The
// same data, question and seed give the same bytes. Version 3, which knows no transform of the target,
// version 2, which knows processes alone, and version 1,
// which lacks "asked" and most of the summary, are still read.
#pragma once
#include <string>
#include <string_view>

#include "covary/model/fitted_model.h"

namespace covary {

/// A fingerprint of the training data, kept in the file: "fnv1a64:89abcdef01234567". Of the bits of x, row by
/// row, then y.
std::string data_hash(const Rows& x, const Vector& y);

/// The file as text. Throws Problem::usage if the kernel uses a function of the program.
std::string model_text(const FittedModel& model);

/// Reads it back. Throws Problem::data, calling it `source`, unless every byte is as it was written: damaged,
/// cut short, edited, of another format or of a newer version. Never allocates more than a multiple of the
/// text.
FittedModel parse_model(std::string_view text, const std::string& source = "model");

/// The same to and from a file ("-" reads standard input). The file appears whole or not at all.
void save_model(const FittedModel& model, const std::string& path);
FittedModel load_model(const std::string& path);

}  // namespace covary
