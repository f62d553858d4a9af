#include "covary/select/machines.h"

#include <algorithm>

#include "base/constants.h"
#include "covary/base/error.h"

namespace covary {
using namespace internal;
namespace {

/// Weights that sum to 0 again: those of the heavier side shrink. False if one side has none.
bool balance(Vector& weights) {
  const double up = weights.cwiseMax(0).sum(), down = -weights.cwiseMin(0).sum();
  if (!(up > 0 && down > 0)) return false;
  for (double& w : weights) w *= w > 0 ? std::min(1.0, down / up) : std::min(1.0, up / down);
  return true;
}

/// s without point i of those it was trained on; none if nothing is left to begin with.
std::optional<Separator> separator_without(Separator s, Index i) {
  const auto at = std::lower_bound(s.support.begin(), s.support.end(), i);
  const bool rests = at != s.support.end() && *at == i;
  if (rests) {
    const Index k = at - s.support.begin(), after = s.weights.size() - k - 1;
    s.weights.segment(k, after) = s.weights.tail(after).eval();
    s.weights.conservativeResize(k + after);
    s.support.erase(at);
  }
  for (Index& j : s.support) j -= j > i;
  s.size = rests ? 0 : s.size - 1;  // 0: everything is checked
  if (rests && !balance(s.weights)) return {};
  return s;
}

}  // namespace

void Machines::forget(Index position) {
  candidates_.erase(candidates_.begin() + position);
  classes_.erase(classes_.begin() + position);
  for (std::optional<Separator>& m : machines_)
    if (m) m = separator_without(*std::move(m), position);
}

void Machines::train(const Pool& pool, const std::vector<Index>& candidates,
                     const std::vector<Index>& classes, Index kinds, bool anew, const Vector& weights) {
  kinds_ = kinds, candidates_ = candidates, classes_ = classes;
  machines_.resize(static_cast<size_t>(kinds == 2 ? 1 : kinds));
  const KernelBlock block = [&](const std::vector<Index>& r, const std::vector<Index>& c) -> Matrix {
    std::vector<Index> rows, columns;
    for (const Index i : r) rows.push_back(candidates[static_cast<size_t>(i)]);
    for (const Index j : c) columns.push_back(candidates[static_cast<size_t>(j)]);
    return pool.among(rows, columns);
  };
  for (size_t m = 0; m < machines_.size(); ++m) {
    const Index own = kinds == 2 ? 1 : Index(m);
    Vector labels(std::ssize(classes));
    for (Index i = 0; i < labels.size(); ++i) labels[i] = classes[static_cast<size_t>(i)] == own ? 1 : -1;
    std::optional<Separator>& machine = machines_[m];
    if (anew || labels.size() == 0) machine.reset();
    if (labels.size() == 0 || labels.maxCoeff() == labels.minCoeff()) continue;
    machine = separate(block, labels, options_, machine ? &*machine : nullptr, weights);
  }
}

void Machines::train_hard(const Pool& pool, const std::vector<Index>& candidates,
                          const std::vector<Index>& classes, Index kinds) {
  options_.penalty = infinity;
  try {
    train(pool, candidates, classes, kinds);
  } catch (const Error& e) {
    if (e.problem() != Problem::data) throw;
    double largest = 0;
    for (const Index i : candidates) largest = std::max(largest, pool.among({i}, {i})(0, 0));
    options_.penalty = 1e8 / largest;
    train(pool, candidates, classes, kinds, true);
  }
}

bool Machines::any() const {
  return std::any_of(machines_.begin(), machines_.end(), [](const auto& m) { return m.has_value(); });
}

Matrix Machines::decision(Index m, const std::function<Matrix(const std::vector<Index>&)>& cross) const {
  Matrix out = Matrix::Constant(m, kinds_, -1);
  for (const Index c : classes_) out.col(c).setOnes();  // what stays so has no machine: the only class
  for (size_t c = 0; c < machines_.size(); ++c) {
    if (!machines_[c]) continue;
    std::vector<Index> support;
    for (const Index s : machines_[c]->support) support.push_back(candidates_[static_cast<size_t>(s)]);
    const Vector f = covary::decision(*machines_[c], cross(support));
    out.col(kinds_ == 2 ? 1 : Index(c)) = f;
    if (kinds_ == 2) out.col(0) = -f;
  }
  return out;
}

std::vector<Index> internal::winners(const Matrix& decision) {
  std::vector<Index> out(static_cast<size_t>(decision.rows()));
  for (Index i = 0; i < decision.rows(); ++i) decision.row(i).maxCoeff(&out[static_cast<size_t>(i)]);
  return out;
}

}  // namespace covary
