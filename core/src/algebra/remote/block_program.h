// One block of Vecchia's density (inference/vecchia_blocks.h): the same source on a GPU, where the lanes of a warp share
// a block, and on the host, where there is one lane.
//
//   [K + noise; y_c']  ->  [L; z']  by rows,  d = L_ii^2,  e_c/sqrt(d) = z_c,i
//   w = L_cc'^-1 l_i,  v = (-w, 1),  a = (L_cc'^-1 z, 0)
//   sum_jk G_jk dK_jk/dtheta,  G = 1/2 ((e/d)(a v' + v a') + (e^2/d^2 - 1/d) v v')
//
// r^3/3 flops and r^2/2 covariances for a block of r points. Plain data: no type of the host's libraries.
#pragma once
#include "algebra/remote/kernel_program.h"

namespace covary::internal {

/// Points in the order of their places, with their neighbors.
struct BlockPoints {
  const double* x;  // d x n
  const int* sets;  // most x n: places of the neighbors of each, -1 after the last
  long long n;
  int d, most;
};

/// What is conditioned: `width` columns of numbers and the noise variance of each point.
struct BlockNumbers {
  const double* columns;  // width x n
  const double* noise;    // n
  int width;
};

/// Who works on a block: `count` lanes, of which this is number `own`.
struct OneLane {
  int own = 0, count = 1;
  COVARY_DEVICE void meet() const {}
};

namespace block {

/// Rows of the factor are an odd number of doubles apart, so that lanes on rows of their own meet in no memory bank.
COVARY_DEVICE int stride(int most) { return (most + 1) | 1; }

/// Doubles that a block needs: factor with the columns below it, points, v and a, places.
COVARY_DEVICE long long space(int most, int d, int width) {
  const long long r = most + 1;
  return (r + width) * stride(most) + r * d + 2 * r + (r + 1) / 2;
}

struct Block {
  int r = 0, ld = 0;
  double *k, *x, *v, *a;
  int* place;

  COVARY_DEVICE Block(const BlockPoints& p, int width, double* memory) : ld(stride(p.most)) {
    const int all = p.most + 1;
    k = memory, x = k + (all + width) * ld, v = x + all * p.d, a = v + all;
    place = reinterpret_cast<int*>(a + all);
  }
};

/// Pair e of a lower triangle, by rows: e = i (i + 1)/2 + j.
COVARY_DEVICE void pair_of(int e, int& i, int& j) {
  i = int((sqrt(8.0 * e + 1) - 1) / 2);
  while (i * (i + 1) / 2 > e) --i;
  while ((i + 1) * (i + 2) / 2 <= e) ++i;
  j = e - i * (i + 1) / 2;
}

/// Covariances with noise, and the columns below them.
template <class Lanes>
COVARY_DEVICE void fill(const KernelProgram& kernel, const BlockPoints& p, const BlockNumbers& y,
                        long long at, Block& b, const Lanes& lanes) {
  const int* set = p.sets + at * p.most;
  int r = 0;
  while (r < p.most && set[r] >= 0) ++r;
  b.r = r + 1;
  const long long stride_x = p.d, stride_y = y.width;
  lanes.meet();  // the last block has been read
  for (int q = lanes.own; q < b.r; q += lanes.count) {
    const int place = q < r ? set[q] : int(at);
    b.place[q] = place;
    for (int c = 0; c < p.d; ++c) b.x[q * p.d + c] = p.x[place * stride_x + c];
    for (int c = 0; c < y.width; ++c) b.k[(b.r + c) * b.ld + q] = y.columns[place * stride_y + c];
  }
  lanes.meet();
  double v[KernelProgram::most_steps];
  for (int e = lanes.own; e < b.r * (b.r + 1) / 2; e += lanes.count) {
    int i, j;
    pair_of(e, i, j);
    const double value = program::value(kernel, PointView{b.x + i * p.d, 1}, PointView{b.x + j * p.d, 1}, v);
    b.k[i * b.ld + j] = i == j ? value + y.noise[b.place[i]] : value;
  }
  lanes.meet();
}

/// Cholesky by columns, of the rows below too; false where d is at the rounding level of k_ii, or below.
template <class Lanes>
COVARY_DEVICE bool factorize(Block& b, int width, const Lanes& lanes) {
  const double least = 4 * double(b.r) * 2.220446049250313e-16 * b.k[(b.r - 1) * b.ld + b.r - 1];
  for (int q = 0; q < b.r; ++q) {
    const double pivot = b.k[q * b.ld + q];
    if (!(pivot > (q + 1 < b.r ? 0 : least))) return false;
    const double root = sqrt(pivot);
    lanes.meet();
    for (int i = q + lanes.own; i < b.r + width; i += lanes.count) {
      double& entry = b.k[i * b.ld + q];
      entry = i == q ? root : entry / root;
    }
    lanes.meet();
    for (int i = q + 1 + lanes.own; i < b.r + width; i += lanes.count) {
      const double left = b.k[i * b.ld + q];
      for (int j = q + 1; j <= i && j < b.r; ++j) b.k[i * b.ld + j] -= left * b.k[j * b.ld + q];
    }
    lanes.meet();
  }
  return true;
}

/// Whitened numbers of point `at`: e_c/sqrt(d) into out[c n], and log d; false where d is no more than rounding.
template <class Lanes>
COVARY_DEVICE bool whiten(const KernelProgram& kernel, const BlockPoints& p, const BlockNumbers& y,
                          long long at, Block& b, const Lanes& lanes, double* out, double* log_d) {
  fill(kernel, p, y, at, b, lanes);
  if (!factorize(b, y.width, lanes)) return false;
  for (int c = lanes.own; c < y.width; c += lanes.count) out[at + c * p.n] = b.k[(b.r + c) * b.ld + b.r - 1];
  if (lanes.own == 0) log_d[at] = 2 * log(b.k[(b.r - 1) * b.ld + b.r - 1]);
  return true;
}

/// add(slot, slope) of every parameter and add_noise(slope along noise), of point `at`; y has one column. False as above.
template <class Lanes, class Add, class AddNoise>
COVARY_DEVICE bool slopes(const KernelProgram& kernel, const BlockPoints& p, const BlockNumbers& y,
                          long long at, Block& b, const Lanes& lanes, const Add& add,
                          const AddNoise& add_noise) {
  fill(kernel, p, y, at, b, lanes);
  if (!factorize(b, 1, lanes)) return false;
  const int last = b.r - 1;
  const double root = b.k[last * b.ld + last], z = b.k[b.r * b.ld + last];
  for (int q = lanes.own; q < last; q += lanes.count)
    b.v[q] = b.k[last * b.ld + q], b.a[q] = b.k[b.r * b.ld + q];
  lanes.meet();
  for (int q = last - 1; q >= 0; --q) {  // w and a: L' from below
    const double v = b.v[q] / b.k[q * b.ld + q], a = b.a[q] / b.k[q * b.ld + q];
    lanes.meet();
    for (int j = lanes.own; j < q; j += lanes.count)
      b.v[j] -= b.k[q * b.ld + j] * v, b.a[j] -= b.k[q * b.ld + j] * a;
    if (lanes.own == 0) b.v[q] = v, b.a[q] = a;
    lanes.meet();
  }
  for (int q = lanes.own; q < last; q += lanes.count) b.v[q] = -b.v[q];
  if (lanes.own == 0) b.v[last] = 1, b.a[last] = 0;
  lanes.meet();
  const double ratio = z / root, square = (z * z - 1) / (root * root);  // e/d, e^2/d^2 - 1/d
  double values[KernelProgram::most_steps], adjoints[KernelProgram::most_steps];
  for (int e = lanes.own; e < b.r * (b.r + 1) / 2; e += lanes.count) {
    int i, j;
    pair_of(e, i, j);
    double g = ratio * (b.a[i] * b.v[j] + b.v[i] * b.a[j]) + square * b.v[i] * b.v[j];  // stands for two
    if (i == j) g *= 0.5, add_noise(g * y.noise[b.place[i]]);
    const PointView xi{b.x + i * p.d, 1}, xj{b.x + j * p.d, 1};
    program::value(kernel, xi, xj, values);
    program::slopes(kernel, xi, xj, values, adjoints, g, add);
  }
  return true;
}

}  // namespace block
}  // namespace covary::internal
