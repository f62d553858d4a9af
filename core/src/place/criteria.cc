#include <fmt/format.h>

#include <numeric>

#include "covary/base/names.h"
#include "place/shared.h"

namespace covary {
using namespace internal;

// Every criterion. To add one, write place/criteria/NAME.cc with `CriterionEntry criterion::NAME()` and name it here.
#define COVARY_CRITERIA(CRITERION)    \
  CRITERION(mutual_information)       \
  CRITERION(local_mutual_information) \
  CRITERION(entropy)                  \
  CRITERION(variance)                 \
  CRITERION(max_variance)             \
  CRITERION(random)                   \
  CRITERION(space_filling)

namespace criterion {
#define COVARY_DECLARE(name) CriterionEntry name();
COVARY_CRITERIA(COVARY_DECLARE)
}  // namespace criterion

const std::vector<CriterionEntry>& criteria() {
#define COVARY_LIST(name) criterion::name(),
  static const std::vector<CriterionEntry> all{COVARY_CRITERIA(COVARY_LIST)};
  return all;
}

const CriterionEntry& criterion_called(const std::string& name) {
  std::vector<std::string> names;
  for (const CriterionEntry& e : criteria()) {
    if (e.name == name) return e;
    names.push_back(e.name);
  }
  throw Error(Problem::usage, fmt::format("there is no criterion '{}'{}", name, there_are(name, names)));
}

const Vector& Criterion::gains() const {
  if (gains_.size() == 0) gains_ = computed_gains();
  return gains_;
}

void Criterion::add(Index place) {
  const double gain = gains()[place], before = now_.variance()[place] + now_.noise()[place];
  now_.add(place);
  added(place, before);
  value_ += gain;
  gains_.resize(0);
}

namespace placing {

Conditioned standing(const PlacementProblem& problem, const Field& field, int threads) {
  Conditioned now(field, noise_of(problem), threads);
  now.reserve(std::ssize(problem.existing));
  for (const Index i : problem.existing) now.add(i);
  return now;
}

Gram gram_of(const Field& field) {
  const auto numbers = [](Range r) {
    std::vector<Index> out(static_cast<size_t>(r.count));
    std::iota(out.begin(), out.end(), r.first);
    return out;
  };
  return {field.size,
          [field, numbers](Range r, Range c) { return field.block(r, numbers(c)); },
          [field](Range r) -> Vector { return field.diagonal.segment(r.first, r.count); },
          {}};
}

Vector noise_of(const PlacementProblem& problem) {
  return problem.noise.size() == 1 ? Vector::Constant(problem.size(), problem.noise[0]) : problem.noise;
}

Vector all_of(const Allowed& allowed, double value) { return Vector::Constant(allowed.left(), value); }

void for_each_column(Index n, Index flops, int threads, const std::function<void(Index)>& fn) {
  const Index run = std::max<Index>(16, (Index{1} << 18) / std::max<Index>(1, flops));
  parallel_for((n + run - 1) / run, threads, [&](Index b) {
    for (Index i = b * run; i < std::min(n, (b + 1) * run); ++i) fn(i);
  });
}

}  // namespace placing
}  // namespace covary
