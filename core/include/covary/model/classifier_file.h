// Classifier files: a trained Classifier kept as versioned JSON, like model_file.h.
//
//   {"format":"covary classifier","version":1,"checksum":"fnv1a64:89abcdef01234567",
//   "model":{"kernel":"...", "penalty":10, "tolerance":1e-06, "features":[...], "classes":[...],
//   "data":{"x":[...], "label":[...]}, ...}}
//
// The data are kept, and the machines are trained on them again when the file is read. A penalty that is
// infinite (a hard margin) is written "inf".
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "covary/svm/classifier.h"

namespace covary {

namespace internal {
/// The name of a class: a word, a number or a boolean.
using ClassName = std::variant<bool, std::int64_t, double, std::string>;
}  // namespace internal

struct SavedClassifier {
  std::string kernel;                        // every parameter given
  std::string asked;                         // as typed
  SvmOptions options;                        // penalty and tolerance
  std::vector<std::string> features;         // the columns of x, by name
  std::vector<internal::ClassName> classes;  // in the order of their numbers
  Matrix x;                                  // n x d
  std::vector<Index> label;                  // n: numbers of classes
  std::string written_by = {};               // "covary 0.1.0"; filled in when written
};

namespace internal {
/// The classifier, trained again.
Classifier<Row> restored(const SavedClassifier& saved, int threads = 0);

/// The file as text. Throws Problem::usage unless the parts go together.
std::string classifier_text(const SavedClassifier& saved);
/// Reads it back. Throws Problem::data, calling it `source`, unless every byte is as it was written.
SavedClassifier parse_classifier(std::string_view text, const std::string& source = "classifier");
}  // namespace internal

/// The same to and from a file, which appears whole or not at all.
void save_classifier(const SavedClassifier& saved, const std::string& path);
SavedClassifier load_classifier(const std::string& path);

namespace internal {
/// Whether the file begins as one.
bool is_classifier_file(const std::string& path);
}  // namespace internal

}  // namespace covary
