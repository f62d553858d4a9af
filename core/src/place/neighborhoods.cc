#include "place/neighborhoods.h"

#include <algorithm>
#include <cmath>

#include "covary/base/parallel.h"

namespace covary::placing {
using namespace internal;
namespace {

/// A place and its |covariance| with the one whose neighbors are looked for.
struct Neighbor {
  double size;
  Index place;
  bool operator<(const Neighbor& o) const { return size != o.size ? size > o.size : place < o.place; }
};

/// Those of a column (n) with |k| >= least, but not `own` and no zeros.
void gather(const Eigen::Ref<const Vector>& column, Index own, double least, std::vector<Neighbor>& out) {
  out.clear();
  for (Index i = 0; i < column.size(); ++i)
    if (const double size = std::abs(column[i]); size >= least && size > 0 && i != own)
      out.push_back({size, i});
}

}  // namespace

Neighborhoods neighborhoods(const Field& field, Index most, int threads) {
  const Index n = field.size, width = 16, blocks = (n + width - 1) / width;
  Neighborhoods out{std::vector<std::vector<Index>>(static_cast<size_t>(n)), Vector::Zero(n)};
  parallel_for(blocks, threads, [&](Index b) {
    std::vector<Index> columns;
    for (Index j = b * width; j < std::min(n, (b + 1) * width); ++j) columns.push_back(j);
    const Matrix k = field.block({0, n}, columns);
    std::vector<Neighbor> found;
    double guess = 0;  // saves looking at most of a column; never changes what is found
    for (Index c = 0; c < k.cols(); ++c) {
      const Index y = columns[static_cast<size_t>(c)];
      gather(k.col(c), y, guess, found);
      if (guess > 0 && std::ssize(found) <= most) gather(k.col(c), y, 0, found);
      std::vector<Index>& of = out.of[static_cast<size_t>(y)];
      if (std::ssize(found) > most) {
        std::nth_element(found.begin(), found.begin() + most, found.end());
        out.left_out[y] = found[static_cast<size_t>(most)].size;
        guess = 0.5 * out.left_out[y];
        found.resize(static_cast<size_t>(most));
      }
      for (const Neighbor& f : found) of.push_back(f.place);
      std::sort(of.begin(), of.end());
    }
  });
  return out;
}

std::vector<std::vector<Index>> Neighborhoods::holders() const {
  std::vector<std::vector<Index>> out(of.size());
  for (size_t y = 0; y < of.size(); ++y)
    for (const Index z : of[y]) out[static_cast<size_t>(z)].push_back(Index(y));
  return out;
}

}  // namespace covary::placing
