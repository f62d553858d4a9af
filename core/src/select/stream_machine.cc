#include "covary/select/stream_machine.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/select/strategy.h"

namespace covary {
using namespace internal;

ClassRule internal::class_rule(const StreamOptions& options, const SvmOptions& svm) {
  ClassRule out{.svm = svm};
  if (options.strategy.empty()) return out;
  const NamedStrategy named = parse_strategy(options.strategy);
  (void)named.make();
  out.asks = options.threshold().asks;
  out.svm = named.svm(svm);
  if (out.asks == Asks::positive)
    out.region = region_options(named.arguments), out.svm.penalty = std::numeric_limits<double>::infinity();
  if (out.asks == Asks::by_probability) out.iwal = iwal_options(named.arguments);
  return out;
}

EmptyVersionSpace internal::in_stream(const EmptyVersionSpace& e, const std::vector<Index>& arrived) {
  if (e.labels().empty()) return e;
  std::vector<Index> which;
  for (const Index i : e.labels()) which.push_back(arrived[static_cast<size_t>(i)]);
  return contradicting("points", which);
}

Index internal::least_needed(const Machines& machines, const std::vector<Index>& classes, Index kinds) {
  std::vector<char> rests(classes.size(), 0);
  for (Index c = 0; c < machines.count(); ++c)
    if (machines.machine(c))
      for (const Index i : machines.machine(c)->support) rests[static_cast<size_t>(i)] = 1;
  std::vector<Index> sizes(static_cast<size_t>(kinds), 0);
  for (const Index c : classes) ++sizes[static_cast<size_t>(c)];
  Index oldest = -1;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (sizes[static_cast<size_t>(classes[i])] == 1) continue;
    if (!rests[i]) return Index(i);
    if (oldest < 0) oldest = Index(i);
  }
  return oldest;
}

Vector internal::nearness(const Machines& machines, const Matrix& decision) {
  Vector least = Vector::Constant(decision.rows(), std::numeric_limits<double>::infinity());
  for (Index c = 0; c < machines.count(); ++c)
    if (machines.machine(c)) least = least.cwiseMin(decision.col(machines.count() == 1 ? 1 : c).cwiseAbs());
  return (1 + least.array()).inverse();
}

void internal::check_kinds(Index kinds, Index memory) {
  if (kinds < 2) throw Error(Problem::usage, fmt::format("there must be 2 classes or more, found {}", kinds));
  if (memory <= kinds)
    throw Error(Problem::usage,
                fmt::format("stream: memory must be more than the {} classes, found {}", kinds, memory));
}

void internal::check_kind(double kind, Index kinds) {
  if (kind != std::floor(kind) || kind < 0 || kind >= double(kinds))
    throw Error(Problem::data, fmt::format("tell: expected a class from 0 to {}, found {}", kinds - 1, kind));
}

template class StreamMachine<Row>;

}  // namespace covary
