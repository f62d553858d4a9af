// The types everything is written in: dense matrices, and batches of whatever a process is indexed by.
#pragma once
#include <Eigen/Core>
#include <numeric>
#include <span>
#include <vector>

namespace covary {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Rows = Eigen::Ref<const Matrix>;  // n x d, a point is a row; borrowed

/// Tag: the process is indexed by rows of a matrix.
struct Row;

/// How points of type X are borrowed and owned: spans and vectors, but matrices for rows.
template <class X>
struct IndexedBy {
  using View = std::span<const X>;
  using Owned = std::vector<X>;
};
template <>
struct IndexedBy<Row> {
  using View = Rows;
  using Owned = Matrix;
};
template <class X>
using Batch = typename IndexedBy<X>::View;  // arguments borrow
template <class X>
using Points = typename IndexedBy<X>::Owned;  // members own

/// A run of consecutive points: first, ..., first + count - 1.
struct Range {
  Index first = 0, count = 0;
  Index end() const { return first + count; }
};

/// 0, ..., n - 1.
inline std::vector<Index> all_indices(Index n) {
  std::vector<Index> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

inline Index count(const Rows& x) { return x.rows(); }
template <class X>
Index count(std::span<const X> x) {
  return std::ssize(x);
}
template <class X>
Index count(const std::vector<X>& x) {
  return std::ssize(x);
}

/// The points of a range, borrowed.
inline auto slice(const Rows& x, Range r) { return x.middleRows(r.first, r.count); }
template <class X>
std::span<const X> slice(std::span<const X> x, Range r) {
  return x.subspan(static_cast<size_t>(r.first), static_cast<size_t>(r.count));
}

/// The points of `rows`, in that order, as a new batch.
inline Matrix pick(const Rows& x, const std::vector<Index>& rows) { return x(rows, Eigen::all); }
template <class X>
std::vector<X> pick(std::span<const X> x, const std::vector<Index>& rows) {
  std::vector<X> out;
  out.reserve(rows.size());
  for (const Index i : rows) out.push_back(x[static_cast<size_t>(i)]);
  return out;
}

/// The points of a, then those of b.
inline Matrix join(const Rows& a, const Rows& b) {
  Matrix out(a.rows() + b.rows(), a.cols());
  out << a, b;
  return out;
}
template <class X>
std::vector<X> join(std::span<const X> a, std::span<const X> b) {
  std::vector<X> out(a.begin(), a.end());
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

inline Vector concat(const Vector& a, const Vector& b) {
  Vector out(a.size() + b.size());
  out << a, b;
  return out;
}

}  // namespace covary
