// Model files: a fitted process kept as versioned JSON, and read back to the same bits.
//
//   {"format":"covary model","version":2,"checksum":"fnv1a64:89abcdef01234567",
//   "model":{"kernel":"...","mean":"...","noise":..., "features":[...], "target":"y", "data":{...},
//   "asked":{...}, "summary":{...}, ...}}
//
// The data are kept and the process is conditioned on them again when the file is read: O(n^3), once. Numbers
// are written so that they read back to the same double. The checksum is of the version and every byte after
// the first line. The same data, question and seed give the same bytes. Version 1, which lacks "asked" and
// most of the summary, is still read.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "covary/learn.h"

namespace covary {

/// What was asked for when a model was learned: with the data, enough to learn it again.
struct Asked {
  std::string data;           // what the table was called
  std::string kernel, noise;  // as typed: "se() + linear()"; "learn", "0.01", "column:sd"
  Prior prior = Prior::weak;
  Objective objective = Objective::evidence;
  int starts = 8;
  std::uint64_t seed = 1;
};

/// Everything it takes to have the process again, and what was said of it when it was learned.
struct SavedModel {
  std::string kernel;                 // every parameter given; of y / scale, like the noise
  std::string mean = "zero";          // of y
  Noise noise;                        // given, or one standard deviation per row
  std::vector<std::string> features;  // the columns of x, by name
  std::string target;                 // the column of y
  Matrix x;                           // n x d
  Vector y;                           // n, as it was given
  double scale = 1;                   // a power of two, see Fitted

  Asked asked;
  Summary summary;         // without basins, seconds and machine, which differ from run to run
  std::string written_by;  // "covary 0.1.0"; filled in when written
};

SavedModel saved(const Fitted<Row>& fitted, const Rows& x, const Vector& y, std::vector<std::string> features,
                 std::string target, Asked asked = {});

/// A fingerprint of the training data, kept in the file: "fnv1a64:89abcdef01234567". Of the bits of x, row by
/// row, then y.
std::string data_hash(const Rows& x, const Vector& y);

/// The process of y / scale, conditioned on the data again.
Process<Row> restored(const SavedModel& model, int threads = 0);

/// Mean and standard deviation at m points, in the units of y. Not the variance: it may be too large for a
/// number.
struct Prediction {
  Vector mean, sd;    // m
  Index clamped = 0;  // as in Marginals
};

/// The predictions of a restored `process`, times the scale of its model.
Prediction predict(const Process<Row>& process, double scale, const Rows& at, Of of = Of::f, int threads = 0);

/// The file as text.
std::string model_text(const SavedModel& model);

/// Reads it back. Throws Problem::data, calling it `source`, unless every byte is as it was written: damaged,
/// cut short, edited, of another format or of a newer version. Never allocates more than a multiple of the
/// text.
SavedModel parse_model(std::string_view text, const std::string& source = "model");

/// The same to and from a file ("-" reads standard input). The file appears whole or not at all.
void save_model(const SavedModel& model, const std::string& path);
SavedModel load_model(const std::string& path);

}  // namespace covary
