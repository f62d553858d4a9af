// Learning as Python asks for it: what it needs, and the words of its options.
#pragma once
#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <optional>

#include "model.h"
#include "watched.h"

namespace covary::python {

namespace nb = nanobind;

/// Everything learning needs, owned: it may go on for a moment after Ctrl-C.
struct FitTask {
  Request request;
  TrainingData data;
  FitOptions options;
  std::optional<FittedModel> result = {};
};

/// Learns, and lets Ctrl-C stop it. Called with the GIL held.
FittedModel run(const std::shared_ptr<FitTask>& task);

/// x1, x2, ...: what the command calls the columns of a table without a header.
std::vector<std::string> default_names(Index count);

/// The names of the columns of x, made up if none are given. Throws Problem::usage if they are not as many.
std::vector<std::string> names_of(const std::optional<std::vector<std::string>>& names, const Matrix& x);

/// Finite rows, their columns named.
TrainingData training_data(nb::handle x, nb::handle y, const std::optional<std::vector<std::string>>& names,
                           const std::string& target, Noise noise);

/// Throws Problem::usage unless the word is one of the two; true for the first.
bool first_of(const char* what, const std::string& word, const char* first, const char* second);

std::map<std::string, Bounds> bounds_of(const std::map<std::string, std::pair<double, double>>& pairs);

}  // namespace covary::python
