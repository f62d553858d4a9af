#include "covary/select/machines.h"

#include <algorithm>

namespace covary {

void Machines::train(const Pool& pool, const std::vector<Index>& candidates,
                     const std::vector<Index>& classes, Index kinds, bool anew) {
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
    machine = separate(block, labels, options_, machine ? &*machine : nullptr);
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

std::vector<Index> winners(const Matrix& decision) {
  std::vector<Index> out(static_cast<size_t>(decision.rows()));
  for (Index i = 0; i < decision.rows(); ++i) decision.row(i).maxCoeff(&out[static_cast<size_t>(i)]);
  return out;
}

}  // namespace covary
