// Model files: a fitted model kept as versioned JSON, and read back to the same bits.
//
//   {"format":"covary model","version":4,"checksum":"fnv1a64:89abcdef01234567",
//   "model":{"model":"gp", "kernel":"...","mean":"...","noise":..., "features":[...], "target":"y",
//   "data":{...}, "asked":{...}, "summary":{...}, ...}}
//
// A linear, ridge or Bayesian linear model has "weights":{...} in the place of kernel and mean. The data are
// kept and the model is conditioned on them again when the file is read, once. Numbers are written so that
// they read back to the same double. The checksum is of the version and every byte after the first line. The
// same data, question and seed give the same bytes. Version 3, which knows no transform of the target,
// version 2, which knows processes alone, and version 1,
// which lacks "asked" and most of the summary, are still read.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "covary/kernels/held.h"
#include "covary/model/predictor.h"
#include "covary/model/request.h"

namespace covary {

/// Everything it takes to have the model again, and what was said of it when it was learned.
struct SavedModel {
  std::string kernel;                     // every parameter given; of g(y) / scale, like the noise
  std::string mean = "zero";              // of g(y)
  Noise noise;                            // given, or one standard deviation per row
  std::vector<std::string> features;      // the columns of x, by name
  std::string target;                     // the column of y
  Matrix x;                               // n x d
  Vector y;                               // n, as it was given
  double scale = 1;                       // a power of two, see Fitted
  std::vector<std::string> ignored = {};  // features that did not vary: no prediction depends on them
  Vector variables = {};  // of the inference: the coordinates of inducing points that were optimized
  std::vector<std::string> rows = {};  // n: what each row is called, "line 17 (Oslo)"; empty: by its number
  std::optional<DecidedModel> weights =
      {};  // a linear model instead: of y / scale; kernel and mean say nothing

  Asked asked;             // with g, the transform of the target
  Summary summary;         // without basins, seconds and machine, which differ from run to run
  std::string written_by;  // "covary 0.1.0"; filled in when written
};

/// The features that predictions depend on.
std::vector<std::string> used_features(const SavedModel& model);
/// The ignored ones, at the value they had in the first row.
HeldColumns held_columns(const SavedModel& model);
/// What row i is called: "line 17 (Oslo)", or "row 3" counted from 1.
std::string row_name(const SavedModel& model, Index i);

SavedModel saved(const Learned& learned, const Rows& x, const Vector& y, std::vector<std::string> features,
                 std::string target, Asked asked);
SavedModel saved(const Fitted<Row>& fitted, const Rows& x, const Vector& y, std::vector<std::string> features,
                 std::string target, Asked asked = {});

/// A fingerprint of the training data, kept in the file: "fnv1a64:89abcdef01234567". Of the bits of x, row by
/// row, then y.
std::string data_hash(const Rows& x, const Vector& y);

/// What the process or the weights are conditioned on: g(y) / scale. n
Vector latent_target(const SavedModel& model);

/// The model, conditioned on the data again.
Predictor restored(const SavedModel& model, int threads = 0);

/// What the summary says of the rows, for those the model has now. `predictor` is restored(model): a process.
void refresh_summary(SavedModel& model, const Predictor& predictor, int threads = 0);

/// Throws Problem::numerical if a model cannot answer: a prediction at its own rows (some of them, if they
/// are many) that is not finite, or an infinite score. `predictor` is restored(model), or what it was saved
/// from.
void check_answers(const SavedModel& model, const Predictor& predictor, int threads = 0);

/// The file as text. Throws Problem::usage if the kernel uses a function of the program.
std::string model_text(const SavedModel& model);

/// Reads it back. Throws Problem::data, calling it `source`, unless every byte is as it was written: damaged,
/// cut short, edited, of another format or of a newer version. Never allocates more than a multiple of the
/// text.
SavedModel parse_model(std::string_view text, const std::string& source = "model");

/// The same to and from a file ("-" reads standard input). The file appears whole or not at all.
void save_model(const SavedModel& model, const std::string& path);
SavedModel load_model(const std::string& path);

}  // namespace covary
