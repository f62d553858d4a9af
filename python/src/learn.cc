#include <nanobind/eigen/dense.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bind.h"
#include "covary/error.h"
#include "covary/kernels/compose.h"
#include "model.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;

/// Everything learning needs, owned: it may go on for a moment after Ctrl-C.
struct Task {
  Asked asked;
  std::string mean, target;
  Noise noise;
  Matrix x;
  Vector y;
  FitOptions options;
  std::optional<Kept> result = {};

  void run(const Wanted& wanted) {
    options.progress = [wanted](const Progress&) { return wanted->load(); };
    const Learned learned = learn(asked, mean, noise, x, y, options);
    result = {saved(learned, x, y, options.columns, target, asked), learned.predictor};
  }
};

/// x1, x2, ...: what the command calls the columns of a table without a header.
std::vector<std::string> default_names(Index count) {
  std::vector<std::string> names;
  for (Index k = 1; k <= count; ++k) names.push_back("x" + std::to_string(k));
  return names;
}

/// Throws Problem::usage unless the word is one of the two; true for the first.
bool first_of(const char* what, const std::string& word, const char* first, const char* second) {
  if (word == first) return true;
  if (word == second) return false;
  throw Error(Problem::usage,
              std::string(what) + ": expected '" + first + "' or '" + second + "', found '" + word + "'");
}

/// One sd per row, a variance, or to be learned.
Noise noise_of(std::optional<double> variance, nb::handle sd) {
  if (!sd.is_none()) return Noise::rows(values(sd, "noise_sd"));
  return variance ? Noise::of(*variance) : Noise::learn();
}

std::string noise_text(std::optional<double> variance, nb::handle sd) {
  if (!sd.is_none()) return "column:noise_sd";
  return variance ? number_text(*variance) : "learn";
}

std::map<std::string, Bounds> bounds_of(const std::map<std::string, std::pair<double, double>>& pairs) {
  std::map<std::string, Bounds> out;
  for (const auto& [name, b] : pairs) out[name] = {b.first, b.second};
  return out;
}

Kept learned(nb::handle x, nb::handle y, const std::string& kernel, const std::string& mean,
             std::optional<double> noise, nb::handle noise_sd,
             const std::optional<std::vector<std::string>>& names, const std::string& target,
             const std::string& prior, const std::string& objective, int starts, std::uint64_t seed,
             std::optional<double> max_seconds, int threads,
             const std::map<std::string, std::pair<double, double>>& bounds) {
  const auto task = std::make_shared<Task>(
      Task{{}, mean, target, noise_of(noise, noise_sd), matrix(x, "X"), values(y, "y"), {}});
  const std::vector<std::string> features = names ? *names : default_names(task->x.cols());
  if (task->x.cols() != std::ssize(features))
    throw Error(Problem::usage, "X: has " + std::to_string(task->x.cols()) + " columns and " +
                                    std::to_string(features.size()) + " names");
  FitOptions& o = task->options;
  o.prior = first_of("prior", prior, "weak", "none") ? Prior::weak : Prior::none;
  o.objective = first_of("objective", objective, "evidence", "leave-one-out") ? Objective::evidence
                                                                              : Objective::leave_one_out;
  o.starts = starts, o.seed = seed, o.threads = threads, o.columns = features, o.bounds = bounds_of(bounds);
  if (max_seconds) o.max_seconds = *max_seconds;
  Asked& a = task->asked;
  a.data = "Python", a.kernel = kernel, a.noise = noise_text(noise, noise_sd);
  a.prior = o.prior, a.objective = o.objective, a.starts = starts, a.seed = seed;
  watched([task](const Wanted& wanted) { task->run(wanted); });
  return std::move(*task->result);
}

}  // namespace

void bind_learning(nb::module_& m) {
  m.def("learn", &learned, "X"_a, "y"_a, nb::kw_only(), "kernel"_a, "mean"_a, "noise"_a.none(),
        "noise_sd"_a.none(), "features"_a.none(), "target"_a, "prior"_a, "objective"_a, "starts"_a, "seed"_a,
        "max_seconds"_a.none(), "threads"_a, "bounds"_a, "Learns a model. Ctrl-C stops it.");
  m.def("default_names", &default_names, "count"_a, "x1, x2, ...");
  m.def("finish", &finish_watched, "Waits for work that Ctrl-C gave up; called at exit.");
}

}  // namespace covary::python
