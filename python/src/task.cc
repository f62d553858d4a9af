#include "task.h"

#include "arrays.h"
#include "covary/base/error.h"

namespace covary::python {
namespace {

void learn(FitTask& t, const Wanted& wanted) {
  t.options.progress = [wanted](const Progress&) { return wanted->load(); };
  t.result = fit(t.request, t.data, t.options);
}

}  // namespace

FittedModel run(const std::shared_ptr<FitTask>& task) {
  watched([task](const Wanted& wanted) { learn(*task, wanted); });
  return std::move(*task->result);
}

std::vector<std::string> default_names(Index count) {
  std::vector<std::string> names;
  for (Index k = 1; k <= count; ++k) names.push_back("x" + std::to_string(k));
  return names;
}

std::vector<std::string> names_of(const std::optional<std::vector<std::string>>& names, const Matrix& x) {
  if (!names) return default_names(x.cols());
  if (x.cols() == std::ssize(*names)) return *names;
  throw Error(Problem::usage, "X: has " + std::to_string(x.cols()) + " columns and " +
                                  std::to_string(names->size()) + " names");
}

TrainingData training_data(nb::handle x, nb::handle y, const std::optional<std::vector<std::string>>& names,
                           const std::string& target, Noise noise) {
  TrainingData out{.x = matrix(x, "X", Numbers::finite), .y = values(y, "y", Numbers::finite)};
  out.features = names_of(names, out.x), out.target = target, out.noise = std::move(noise);
  return out;
}

bool first_of(const char* what, const std::string& word, const char* first, const char* second) {
  if (word == first) return true;
  if (word == second) return false;
  throw Error(Problem::usage,
              std::string(what) + ": expected '" + first + "' or '" + second + "', found '" + word + "'");
}

std::map<std::string, Bounds> bounds_of(const std::map<std::string, std::pair<double, double>>& pairs) {
  std::map<std::string, Bounds> out;
  for (const auto& [name, b] : pairs) out[name] = {b.first, b.second};
  return out;
}

}  // namespace covary::python
