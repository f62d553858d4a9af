#include "inference/block_batch.h"

#include <algorithm>
#include <new>

namespace covary::internal {
namespace {
constexpr std::align_val_t line{64};
}

void Eights::Free::operator()(double* p) const { ::operator delete[](p, line); }

Eights::Eights(Index n) {
  const auto size = static_cast<size_t>(simd::block_lanes * std::max<Index>(n, 1));
  data_.reset(static_cast<double*>(::operator new[](size * sizeof(double), line)));
  std::fill_n(data_.get(), size, 0.0);
}

FusedTerms::FusedTerms(const FusedKernel& kernel) {
  for (const FusedTerm& t : kernel.terms) {
    std::vector<simd::BlockFactor>& all = factors_.emplace_back();
    for (const FusedFactor& f : t.factors) {
      const bool together = f.slots.size() == 1;
      const bool wanted = std::any_of(f.slots.begin(), f.slots.end(), [](Index s) { return s >= 0; });
      all.push_back({f.profile, f.alpha, std::ssize(f.coordinates), f.coordinates.data(), f.weights.data(),
                     together, wanted ? slopes++ : -1, f.alpha_slot >= 0 ? slopes++ : -1});
      if (f.alpha_slot >= 0) outputs.push_back({f.alpha_slot, all.back().alpha_slope});
      for (size_t i = 0; i < f.slots.size(); ++i)
        if (f.slots[i] >= 0)
          outputs.push_back({f.slots[i], all.back().slope, together ? -1 : f.coordinates[i], 0,
                             together ? 1 : f.weights[i]});
    }
  }
  for (size_t t = 0; t < kernel.terms.size(); ++t) {
    const FusedTerm& term = kernel.terms[t];
    const bool last = t + 1 == kernel.terms.size();
    terms.push_back({term.variance, std::ssize(factors_[t]), factors_[t].data(), last ? -1 : slopes++});
    if (last) {
      rest = term.slots;
      continue;
    }
    taken.push_back(outputs.size());
    outputs.push_back({-1, terms.back().slope, -1, term.variance, 1});
    for (const Index s : term.slots) outputs.push_back({s, terms.back().slope, -1, term.variance, 1});
  }
}

BlockBatch::BlockBatch(Index points, Index columns, Index axes, int slopes)
    : r(points),
      width(columns),
      coordinates(axes),
      loops_(*simd::loops().blocks),
      x_(axes * points),
      noise_(points),
      k_(simd::triangle(points + columns)),
      inverse_(points),
      v_(points),
      u_(points),
      scratch_(4 * points) {
  for (int i = 0; i < slopes; ++i) slopes_.emplace_back(simd::triangle(points - 1));
  for (const Eights& s : slopes_) slope_pointers_.push_back(s.at(0));
}

void BlockBatch::fill(const FusedTerms& fused, bool slopes) {
  std::vector<simd::BlockTerm> terms = fused.terms;
  std::vector<std::vector<simd::BlockFactor>> plain;
  if (!slopes)
    for (simd::BlockTerm& t : terms) {
      std::vector<simd::BlockFactor>& own = plain.emplace_back(t.factor, t.factor + t.factors);
      for (simd::BlockFactor& f : own) f.slope = f.alpha_slope = -1;
      t.factor = own.data(), t.slope = -1;
    }
  loops_.covariances(r, x_.at(0), terms.data(), std::ssize(terms), noise_.at(0), k_.at(0),
                     slope_pointers_.data(), scratch_.at(0));
}

void BlockBatch::clear(Index q, Index l) {
  for (Index j = 0; j < q; ++j) covariance(q, j, l) = 0;
  for (Index i = q + 1; i < r; ++i) covariance(i, q, l) = 0;
  covariance(q, q, l) = 1;
}

void BlockBatch::factorize() {
  std::copy_n(k_.at(simd::triangle(r - 1) + r - 1), simd::block_lanes, last_.begin());
  loops_.factorize(r, width, level(), k_.at(0), inverse_.at(0));
}

void BlockBatch::solve_back() {
  loops_.solve_back(r, width, inverse_.at(0), k_.at(0));
  for (Index q = 0; q + 1 < r; ++q)
    for (Index l = 0; l < simd::block_lanes; ++l) v_.at(q)[l] = -covariance(r - 1, q, l);
  std::fill_n(v_.at(r - 1), simd::block_lanes, 1.0);
}

void BlockBatch::products_of_u(double* out) const {
  loops_.sums(r, v_.at(0), u_.at(0), out);
  for (Index i = 0; i < width; ++i)
    loops_.sums(r - 1, k_.at(simd::triangle(r + i)), u_.at(0), out + simd::block_lanes * (1 + i));
}

void BlockBatch::products(const FusedTerms::Output& o, double* out) {
  const double* const slope = slopes_[static_cast<size_t>(o.slope)].at(0);
  if (o.coordinate < 0)
    loops_.multiply(r, slope, o.diagonal, v_.at(0), u_.at(0));
  else
    loops_.multiply_squares(r, slope, x_.at(o.coordinate * r), v_.at(0), u_.at(0));
  products_of_u(out);
  if (o.factor != 1)
    for (Index i = 0; i < (1 + width) * simd::block_lanes; ++i) out[i] *= o.factor;
}

void BlockBatch::noise_products(double* out) {
  for (Index i = 0; i < r * simd::block_lanes; ++i) u_.at(0)[i] = noise_.at(0)[i] * v_.at(0)[i];
  products_of_u(out);
}

}  // namespace covary::internal
