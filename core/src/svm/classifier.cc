#include "covary/svm/classifier.h"

#include <fmt/format.h>

namespace covary {
using namespace internal;

void internal::check_classes(Index points, const std::vector<Index>& label) {
  if (std::ssize(label) != points || label.empty())
    throw Error(Problem::usage,
                fmt::format("labels: expected one for each of {} points, at least one, found {}", points,
                            label.size()));
  constexpr Index most = 100000;
  for (size_t i = 0; i < label.size(); ++i)
    if (label[i] < 0 || label[i] >= most)
      throw Error(Problem::usage, fmt::format("labels: point {}: expected a class from 0 to {}, found {}",
                                              i + 1, most - 1, label[i]));
}

void internal::check_first(bool same, const char* what, Index i) {
  if (!same)
    throw Error(Problem::usage, fmt::format("before: expected to be trained on the first of these {}, and "
                                            "number {} is another",
                                            what, i + 1));
}

void internal::check_first_labels(const std::vector<Index>& before, const std::vector<Index>& label) {
  if (before.size() > label.size())
    throw Error(Problem::usage, fmt::format("before: expected to be trained on the first of these {} points, "
                                            "found one trained on {}",
                                            label.size(), before.size()));
  for (size_t i = 0; i < before.size(); ++i) check_first(before[i] == label[i], "labels", Index(i));
}

void internal::check_first_columns(Index before, Index columns) {
  if (before != columns)
    throw Error(
        Problem::usage,
        fmt::format("before: expected to be trained on points of {} columns, found {}", columns, before));
}

void internal::check_same_kernel(const std::string& before, const std::string& now) {
  if (before != now)
    throw Error(Problem::usage, fmt::format("before: expected to be trained with {}, found {}", now, before));
}

std::vector<bool> internal::seen_classes(const std::vector<Index>& label) {
  std::vector<bool> seen(static_cast<size_t>(*std::max_element(label.begin(), label.end()) + 1), false);
  for (const Index c : label) seen[static_cast<size_t>(c)] = true;
  return seen;
}

Vector internal::one_against_rest(const std::vector<Index>& label, Index c) {
  Vector y(std::ssize(label));
  for (Index i = 0; i < y.size(); ++i) y[i] = label[static_cast<size_t>(i)] == c ? 1 : -1;
  return y;
}

Separator internal::retrained(const KernelBlock& block, const Vector& y, const SvmOptions& options,
                              const Separator& s) {
  Separator from = s;
  from.size = 0;
  Separator out = separate(block, y, options, &from);
  out.rounds += s.rounds, out.trained += s.trained, out.steps += s.steps;
  return out;
}

Error internal::no_machine(Index c, const std::vector<bool>& seen) {
  const bool there = c >= 0 && c < std::ssize(seen) && seen[static_cast<size_t>(c)];
  return {Problem::usage, there
                              ? fmt::format("class {} is the only one seen: there is nothing to separate", c)
                              : fmt::format("class {} was not seen so far: it has no separator", c)};
}

std::string internal::unseen_note(Index c) { return fmt::format("class {} was not seen so far", c); }

std::string internal::gap_note(Index c, double gap, double tolerance) {
  return fmt::format(
      "the separator of class {} is optimal to {:.1e} only, {:.1e} was asked for: points of "
      "different classes nearly coincide to the kernel",
      c, gap, tolerance);
}

template class Classifier<Row>;

}  // namespace covary
