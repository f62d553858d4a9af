// Eight blocks side by side: space for the loops of simd/blocks.h, and what is put in and read out.
#pragma once
#include <array>
#include <memory>

#include "base/simd/simd.h"
#include "inference/fused_kernel.h"

namespace covary::internal {

/// n eights of doubles, as the loops want them: aligned to 64 bytes.
class Eights {
 public:
  explicit Eights(Index n);
  double* at(Index i) const { return data_.get() + simd::block_lanes * i; }

 private:
  struct Free {
    void operator()(double* p) const;
  };
  std::unique_ptr<double[], Free> data_;
};

/// A fused kernel as the loops take it: terms, numbers of slopes, and which entry of theta each makes up.
class FusedTerms {
 public:
  explicit FusedTerms(const FusedKernel& kernel);
  FusedTerms(const FusedTerms&) = delete;
  FusedTerms& operator=(const FusedTerms&) = delete;

  /// The slope of one entry of theta: `factor` times a slope, its diagonal, or that times squares of a coordinate.
  struct Output {
    Index theta = 0;
    int slope = 0;
    int coordinate = -1;
    double diagonal = 0, factor = 1;
  };
  std::vector<simd::BlockTerm> terms;
  std::vector<Output> outputs;
  std::vector<Index> rest;    // entries of theta with the slope that is left: all of K but noise and `taken`
  std::vector<size_t> taken;  // outputs that are terms as they are
  int slopes = 0;

 private:
  std::vector<std::vector<simd::BlockFactor>> factors_;
};

class BlockBatch {
 public:
  /// Of blocks of r points with c columns of numbers.
  BlockBatch(Index points, Index columns, Index axes, int slopes);

  /// Entry q of lane l.
  double& coordinate(Index k, Index q, Index l) { return x_.at(k * r + q)[l]; }
  double& noise(Index q, Index l) { return noise_.at(q)[l]; }
  double& column(Index c, Index q, Index l) { return k_.at(simd::triangle(r + c) + q)[l]; }
  double& covariance(Index i, Index j, Index l) { return k_.at(simd::triangle(i) + j)[l]; }

  void fill(const FusedTerms& terms, bool slopes);
  /// Points that are not there, of each lane: uncorrelated, of variance 1.
  void clear(Index q, Index l);
  void factorize();
  /// v and the a of each column, from the factor.
  void solve_back();

  /// Of lane l, after factorize(): d, 0 where it is at the rounding level; e of each column.
  double d(Index l) const { return k_.at(simd::triangle(r - 1) + r - 1)[l]; }
  double before(Index l) const { return last_[static_cast<size_t>(l)]; }  // k_ii + noise
  double e(Index c, Index l) const { return k_.at(simd::triangle(r + c) + r - 1)[l]; }
  bool singular(Index l) const { return !(d(l) > level() * before(l)); }
  /// After solve_back().
  double v(Index q, Index l) const { return v_.at(q)[l]; }
  double a(Index c, Index q, Index l) const { return k_.at(simd::triangle(r + c) + q)[l]; }

  /// v'D v, then a_c'D v of each column: 1 + width eights, from D v.
  void products(const FusedTerms::Output& o, double* out);
  void noise_products(double* out);

  const Index r, width, coordinates;  // points, columns, coordinates of a point

 private:
  double level() const { return 4 * double(r) * 2.220446049250313e-16; }
  void products_of_u(double* out) const;
  const simd::BlockLoops& loops_;
  Eights x_, noise_, k_, inverse_, v_, u_, scratch_;
  std::vector<Eights> slopes_;
  std::vector<double*> slope_pointers_;
  std::array<double, size_t(simd::block_lanes)> last_{};
};

}  // namespace covary::internal
