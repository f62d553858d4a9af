// The types that all of Covary uses: dense matrices, and batches of the points that a process is indexed by.
#pragma once
#include <Eigen/Core>
#include <concepts>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace covary {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Rows = Eigen::Ref<const Matrix>;  // n x d, a point is a row; borrowed

/// Tag: the process is indexed by rows of a matrix.
struct Row;

/// A run of consecutive points: first, ..., first + count - 1.
struct Range {
  Index first = 0, count = 0;
  Index end() const { return first + count; }
};

/// The requirements on points of type X: how a batch of them is borrowed and owned, and its operations.
/// Spans and vectors of values serve most types. A type that is stored in another way has a specialization,
/// whose View and Owned say `using index_type = X`. It may have, beyond the members here,
///   check_finite(x, what)  throws a data Error for a point that is not finite    (default: all points are)
///   dimensions(x)          the number of input columns                           (default: 1)
///   notes(x, names)        remarks on its columns for the summary of a fit       (default: none)
/// and without `key` no two points count as the same.
template <class X>
struct IndexedBy {
  using View = std::span<const X>;
  using Owned = std::vector<X>;
  static Index count(View x) { return std::ssize(x); }
  static View slice(View x, Range r) {
    return x.subspan(static_cast<size_t>(r.first), static_cast<size_t>(r.count));
  }
  static Owned pick(View x, const std::vector<Index>& rows) {
    Owned out;
    out.reserve(rows.size());
    for (const Index i : rows) out.push_back(x[static_cast<size_t>(i)]);
    return out;
  }
  static Owned join(View a, View b) {
    Owned out(a.begin(), a.end());
    out.insert(out.end(), b.begin(), b.end());
    return out;
  }
  /// Equal for equal points.
  static const X& key(View x, Index i) requires std::equality_comparable<X> {
    return x[static_cast<size_t>(i)];
  }
};
template <>
struct IndexedBy<Row> {
  using View = Rows;
  using Owned = Matrix;
  static Index count(const Rows& x) { return x.rows(); }
  static Rows slice(const Rows& x, Range r) { return x.middleRows(r.first, r.count); }
  static Matrix pick(const Rows& x, const std::vector<Index>& rows) { return x(rows, Eigen::all); }
  static Matrix join(const Rows& a, const Rows& b) {
    Matrix out(a.rows() + b.rows(), a.cols());
    out << a, b;
    return out;
  }
  static std::string key(const Rows& x, Index i);  // the bytes of the row; -0 is 0
  static void check_finite(const Rows& x, const std::string& what);
  static Index dimensions(const Rows& x) { return x.cols(); }
  static std::vector<std::string> notes(const Rows& x, const std::vector<std::string>& names);
};
template <class X>
using Batch = typename IndexedBy<X>::View;  // arguments borrow
template <class X>
using Points = typename IndexedBy<X>::Owned;  // members own

namespace internal {

/// The index type of a batch, borrowed or owned.
template <class B>
struct IndexOf {};
template <class B>
requires requires { typename B::index_type; }
struct IndexOf<B> {
  using type = typename B::index_type;
};
template <class X>
struct IndexOf<std::span<const X>> {
  using type = X;
};
template <class X>
struct IndexOf<std::vector<X>> {
  using type = X;
};
template <class B>
requires std::derived_from<B, Eigen::EigenBase<B>>
struct IndexOf<B> {
  using type = Row;
};
template <class B>
using index_of = typename IndexOf<B>::type;

}  // namespace internal

/// Whether IndexedBy<X> has all that points must have.
template <class X>
concept IndexType = std::default_initializable<Points<X>> &&
    requires(const Points<X> owned, const Batch<X> x, Range r, std::vector<Index> rows) {
  requires std::same_as<internal::index_of<Batch<X>>, X>;
  requires std::same_as<internal::index_of<Points<X>>, X>;
  {Batch<X>(owned)};
  { IndexedBy<X>::count(x) } -> std::convertible_to<Index>;
  { IndexedBy<X>::slice(x, r) } -> std::convertible_to<Batch<X>>;
  { IndexedBy<X>::pick(x, rows) } -> std::convertible_to<Points<X>>;
  { IndexedBy<X>::join(x, x) } -> std::convertible_to<Points<X>>;
};

namespace internal {
/// 0, ..., n - 1.
inline std::vector<Index> all_indices(Index n) {
  std::vector<Index> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}
}  // namespace internal

template <class B, class X = internal::index_of<B>>
Index count(const B& x) {
  return IndexedBy<X>::count(x);
}

/// The points of a range, borrowed.
template <class B, class X = internal::index_of<B>>
Batch<X> slice(const B& x, Range r) {
  return IndexedBy<X>::slice(x, r);
}

/// The points of `rows`, in that order, as a new batch.
template <class B, class X = internal::index_of<B>>
Points<X> pick(const B& x, const std::vector<Index>& rows) {
  return IndexedBy<X>::pick(x, rows);
}

/// The points of a, then those of b.
template <class A, class B, class X = internal::index_of<A>>
Points<X> join(const A& a, const B& b) {
  return IndexedBy<X>::join(a, b);
}

namespace internal {
/// How many input columns the points have.
template <class B, class X = internal::index_of<B>>
Index dimensions(const B& x) {
  if constexpr (requires { IndexedBy<X>::dimensions(x); }) return IndexedBy<X>::dimensions(x);
  return 1;
}

inline Vector concat(const Vector& a, const Vector& b) {
  Vector out(a.size() + b.size());
  out << a, b;
  return out;
}
}  // namespace internal

}  // namespace covary
