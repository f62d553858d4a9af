#include "matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/openblas.h"
#include "covary/base/error.h"
#include "covary/base/parallel.h"
#include "scalapack.h"

namespace covary::internal {
namespace {

constexpr double plus = 1, minus = -1;
constexpr int one = 1;

/// Threads of BLAS for the time of a verb.
class BlasThreads {
 public:
  explicit BlasThreads(int threads) { openblas::set_threads(threads); }
  ~BlasThreads() { openblas::set_threads(1); }
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;
};

class ClusterMatrix final : public RemoteMatrix {
 public:
  ClusterMatrix(World& world, Index n)
      : world_(world), grid_(std::make_unique<Grid>(world)), layout_(*grid_, n, n, tile_rows) {
    a_.resize(std::max(1, layout_.local_rows), std::max(1, layout_.local_columns));
    tiles_ = own_lower_tiles(layout_);
  }

  Index size() const override { return layout_.n; }

  void fill(const Gram& gram, const Vector& noise, int threads) override {
    threads_ = threads;
    check_same(concat(noise, gram.block({0, size()}, {0, 1}).col(0)), "covariances");
    parallel_for(std::ssize(tiles_), threads, [&](Index t) {
      const OwnTile& tile = tiles_[static_cast<size_t>(t)];
      own(tile) = gram.block(tile.rows, tile.columns);
      if (tile.diagonal()) own(tile).diagonal() += noise.segment(tile.rows.first, tile.rows.count);
    });
    meet("filling");
  }

  /// The largest sum of absolute values in a column; tiles below the diagonal stand for their mirror image too.
  double norm() const override {
    Vector sums = Vector::Zero(size());
    for (const OwnTile& t : tiles_) {
      const Matrix k = whole(t).cwiseAbs();
      sums.segment(t.columns.first, t.columns.count) += k.colwise().sum().transpose();
      if (!t.diagonal()) sums.segment(t.rows.first, t.rows.count) += k.rowwise().sum();
    }
    meet("norm");
    world_.sum(sums);
    return sums.size() ? sums.maxCoeff() : 0;
  }

  Vector diagonal() const override {
    Vector out = Vector::Zero(size());
    for (const OwnTile& t : tiles_)
      if (t.diagonal()) out.segment(t.rows.first, t.rows.count) = own(t).diagonal();
    meet("diagonal");
    world_.collect(out.data(), out.size());
    return out;
  }

  Index factorize() override {
    meet("factorization");
    const BlasThreads blas(threads_);
    int info = 0;
    pdpotrf_("L", &layout_.n, a_.data(), &one, &one, layout_.descriptor, &info);
    return info;
  }

  /// b is whole on every rank, and so is the solution; in between each has the tiles of its rows.
  void solve(Matrix& b, bool transposed) const override {
    check_same(b.cols() ? Vector(b.col(0)) : Vector(0), "right-hand sides");
    const int columns = int(b.cols());
    if (columns == 0) return;
    const Layout layout(*grid_, size(), columns, (columns + grid_->columns - 1) / grid_->columns);
    Matrix x(std::max(1, layout.local_rows), std::max(1, layout.local_columns));
    each(layout, [&](Index i, Index j, Index row, Index column) { x(i, j) = b(row, column); });
    b.setZero();
    meet("solve");
    const BlasThreads blas(threads_);
    pdtrsm_("L", "L", transposed ? "T" : "N", "N", &layout.n, &layout.m, &plus, a_.data(), &one, &one,
            layout_.descriptor, x.data(), &one, &one, layout.descriptor);
    each(layout, [&](Index i, Index j, Index row, Index column) { b(row, column) = x(i, j); });
    world_.collect(b.data(), b.size());
  }

  void invert() override {
    meet("inverse");
    const BlasThreads blas(threads_);
    invert_lower(1, layout_.n);
    multiply_transposed(1, layout_.n);
  }

  /// |L^-1 e_j|^2: of the columns j, ..., j + w - 1 from L x = e_j in the rows from j on. n^3/3 flops.
  Vector inverse_diagonal() const override {
    Vector out = Vector::Zero(size());
    constexpr int wide = 4 * tile_rows;
    const BlasThreads blas(threads_);
    for (int j = 0; j < layout_.n; j += wide) {
      const int columns = std::min(wide, layout_.n - j), rest = layout_.n - j, first = j + 1;
      const Layout layout(*grid_, size(), columns, tile_rows);
      Matrix x = Matrix::Zero(std::max(1, layout.local_rows), std::max(1, layout.local_columns));
      each(layout, [&](Index i, Index k, Index row, Index column) { x(i, k) = row == j + column ? 1 : 0; });
      meet("diagonal of the inverse");
      pdtrsm_("L", "L", "N", "N", &rest, &columns, &plus, a_.data(), &first, &first, layout_.descriptor,
              x.data(), &first, &one, layout.descriptor);
      each(layout, [&](Index i, Index k, Index row, Index column) {
        if (row >= j) out[j + column] += x(i, k) * x(i, k);
      });
    }
    meet("diagonal of the inverse");
    world_.sum(out);
    return out;
  }

  void downdate(const Matrix& q) override {
    meet("rank update");
    for (const OwnTile& t : tiles_)
      own(t).noalias() -= q.middleRows(t.rows.first, t.rows.count) *
                          q.middleRows(t.columns.first, t.columns.count).transpose();
  }

  /// Each rank its own tiles, one sum of the parameters' slopes.
  Vector contract(const Gram& gram, const Matrix& a, double m, int threads) const override {
    std::vector<Vector> parts(tiles_.size());
    parallel_for(std::ssize(tiles_), threads, [&](Index i) {
      const OwnTile& t = tiles_[static_cast<size_t>(i)];
      Matrix g = whole(t);
      g = 0.5 * (a.middleRows(t.rows.first, t.rows.count) *
                     a.middleRows(t.columns.first, t.columns.count).transpose() -
                 m * g);
      parts[static_cast<size_t>(i)] = gram.pullback(t.rows, t.columns, t.diagonal() ? g : Matrix(2 * g));
    });
    Vector all = gram.pullback({0, 0}, {0, 0}, Matrix(0, 0));
    for (const Vector& p : parts) all += p;
    meet("gradient");
    world_.sum(all);
    return all;
  }

  HalfCross half_cross(const Matrix&, const Vector&, const Matrix&, bool) const override {
    throw Error(Problem::failed, "a cluster has no programs of kernels");  // nobody asks: program_at
  }

  Matrix columns(Range c) const override {
    Matrix out = Matrix::Zero(size() - c.first, c.count);
    for (const OwnTile& t : tiles_) {
      const Index begin = std::max(c.first, t.columns.first), end = std::min(c.end(), t.columns.end());
      if (begin >= end || t.rows.end() <= c.first) continue;
      const Index top = std::max(c.first, t.rows.first), rows = t.rows.end() - top;
      out.block(top - c.first, begin - c.first, rows, end - begin) =
          own(t).block(top - t.rows.first, begin - t.columns.first, rows, end - begin);
    }
    meet("columns");
    world_.collect(out.data(), out.size());
    return out;
  }

 private:
  Eigen::Block<Matrix> own(const OwnTile& t) const {
    return a_.block(t.local_row, t.local_column, t.rows.count, t.columns.count);
  }
  /// With the mirror image above a diagonal.
  Matrix whole(const OwnTile& t) const {
    Matrix k = own(t);
    if (t.diagonal()) k.triangularView<Eigen::StrictlyUpper>() = k.transpose();
    return k;
  }

  void meet(const char* what) const { world_.meet(fmt::format("{} of {} rows", what, size())); }

  /// f(i, j, row, column) for the entries of a layout that this rank holds.
  template <class F>
  static void each(const Layout& layout, const F& f) {
    for (Index j = 0; j < layout.local_columns; ++j)
      for (Index i = 0; i < layout.local_rows; ++i) f(i, j, layout.row(i), layout.column(j));
  }

  /// Throws unless these are the numbers of the first rank, to rounding.
  void check_same(const Vector& numbers, const char* what) const {
    const Vector first =
        numbers_of(world_.from_first(fmt::format("{} of {} rows", what, size()), bytes_of(numbers)));
    const double scale = first.size() ? first.cwiseAbs().maxCoeff() : 0;
    if (first.size() == numbers.size() &&
        (!std::isfinite(scale) || ((first - numbers).cwiseAbs().array() <= 1e-8 * scale).all()))
      return;
    throw Error(
        Problem::usage,
        fmt::format("its {} are not those of rank 0: every rank has to be given the same data and parameters",
                    what));
  }

  static int half_of(int n) { return (n / 2 + tile_rows - 1) / tile_rows * tile_rows; }

  /// L -> W = L^-1 by halves: W21 = -W22 L21 W11. n^3/3 flops.
  void invert_lower(int first, int n) {
    if (n <= leaf) {
      int info = 0;
      return pdtrtri_("L", "N", &n, a_.data(), &first, &first, layout_.descriptor, &info);
    }
    const int h = half_of(n), rest = n - h, below = first + h;
    invert_lower(first, h);
    invert_lower(below, rest);
    pdtrmm_("L", "L", "N", "N", &rest, &h, &minus, a_.data(), &below, &below, layout_.descriptor, a_.data(),
            &below, &first, layout_.descriptor);
    pdtrmm_("R", "L", "N", "N", &rest, &h, &plus, a_.data(), &first, &first, layout_.descriptor, a_.data(),
            &below, &first, layout_.descriptor);
  }

  /// W -> W'W by halves: [W11'W11 + W21'W21, .; W22'W21, W22'W22]. n^3/3 flops.
  void multiply_transposed(int first, int n) {
    if (n <= leaf) return pdlauum_("L", &n, a_.data(), &first, &first, layout_.descriptor);
    const int h = half_of(n), rest = n - h, below = first + h;
    multiply_transposed(first, h);
    pdsyrk_("L", "T", &h, &rest, &plus, a_.data(), &below, &first, layout_.descriptor, &plus, a_.data(),
            &first, &first, layout_.descriptor);
    pdtrmm_("L", "L", "T", "N", &rest, &h, &plus, a_.data(), &below, &below, layout_.descriptor, a_.data(),
            &below, &first, layout_.descriptor);
    multiply_transposed(below, rest);
  }

  static constexpr int leaf = 8 * tile_rows;
  World& world_;
  std::unique_ptr<Grid> grid_;
  Layout layout_;
  mutable Matrix a_;  // the tiles of this rank; ScaLAPACK takes what it only reads as changeable
  std::vector<OwnTile> tiles_;
  int threads_ = 1;
};

}  // namespace

std::shared_ptr<RemoteMatrix> cluster_matrix(World& world, Index n) {
  return std::make_shared<ClusterMatrix>(world, n);
}

}  // namespace covary::internal
