#include "algebra/remote/host_module.h"

#include <Eigen/Cholesky>
#include <cstring>

#include "algebra/remote/block_program.h"

namespace covary::internal {

struct CudaState {
  Matrix k, x;
  KernelProgram program{};
};

struct CudaBlocks {
  Matrix x;  // d x n
  std::vector<int> sets;
  int most;
  BlockPoints points() const { return {x.data(), sets.data(), x.cols(), int(x.rows()), most}; }
};

}  // namespace covary::internal

namespace covary::test {
namespace {

using namespace internal;
using Columns = Eigen::Map<Matrix>;
using ConstColumns = Eigen::Map<const Matrix>;

double memory = 0;
HostModuleCounts counts;

Matrix full(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }

Matrix between(const KernelProgram& p, const Matrix& a, const Matrix& b) {
  Matrix out(a.rows(), b.rows());
  double v[KernelProgram::most_steps];
  for (Index j = 0; j < b.rows(); ++j)
    for (Index i = 0; i < a.rows(); ++i)
      out(i, j) = program::value(p, PointView{a.data() + i, a.rows()}, PointView{b.data() + j, b.rows()}, v);
  return out;
}

CudaModule made() {
  CudaModule m{};
  m.version = CudaModule::interface;
  m.error = [] { return "the host module failed"; };
  m.devices = [](int* count) { return *count = 1, 0; };
  m.describe = [](int, CudaDevice* out) {
    std::strcpy(out->name, "host");
    out->bytes = out->free_bytes = memory;
    return 0;
  };
  m.bytes_for = [](long long n) { return 8.0 * double(n) * double(n); };
  m.create = [](int, long long n, CudaState** out) {
    *out = new CudaState{Matrix::Constant(n, n, std::numeric_limits<double>::quiet_NaN()), {}};
    return 0;
  };
  m.destroy = [](CudaState* s) { delete s; };
  m.points = [](CudaState* s, const KernelProgram* p, const double* x, int d) {
    s->program = *p, s->x = ConstColumns(x, s->k.rows(), d);
    return 0;
  };
  m.fill = [](CudaState* s) {
    ++counts.filled;
    s->k.triangularView<Eigen::Lower>() = between(s->program, s->x, s->x);
    return 0;
  };
  m.put_columns = [](CudaState* s, long long first, long long count, const double* block) {
    counts.columns_sent += count;
    const Index rows = s->k.rows() - first;
    s->k.block(first, first, rows, count) = ConstColumns(block, rows, count);
    return 0;
  };
  m.get_columns = [](CudaState* s, long long first, long long count, double* block) {
    const Index rows = s->k.rows() - first;
    Columns(block, rows, count) = s->k.block(first, first, rows, count);
    return 0;
  };
  m.add_diagonal = [](CudaState* s, const double* v) {
    s->k.diagonal() += Eigen::Map<const Vector>(v, s->k.rows());
    return 0;
  };
  m.get_diagonal = [](CudaState* s, double* v) {
    Eigen::Map<Vector>(v, s->k.rows()) = s->k.diagonal();
    return 0;
  };
  m.norm = [](CudaState* s, double* out) {
    *out = full(s->k).cwiseAbs().colwise().sum().maxCoeff();
    return 0;
  };
  m.factorize = [](CudaState* s, long long* row) {
    const Eigen::LLT<Matrix> l(full(s->k));
    *row = l.info() == Eigen::Success ? 0 : s->k.rows();
    s->k.triangularView<Eigen::Lower>() = Matrix(l.matrixL());
    return 0;
  };
  m.solve = [](CudaState* s, int transposed, double* b, long long count) {
    Columns x(b, s->k.rows(), count);
    if (transposed)
      s->k.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
    else
      s->k.triangularView<Eigen::Lower>().solveInPlace(x);
    return 0;
  };
  m.invert = [](CudaState* s) {
    Matrix w = Matrix::Identity(s->k.rows(), s->k.rows());
    s->k.triangularView<Eigen::Lower>().solveInPlace(w);
    s->k.triangularView<Eigen::Lower>() = w.transpose() * w;
    return 0;
  };
  m.inverse_diagonal = [](CudaState* s, double* out) {
    Matrix w = Matrix::Identity(s->k.rows(), s->k.rows());
    s->k.triangularView<Eigen::Lower>().solveInPlace(w);
    Eigen::Map<Vector>(out, s->k.rows()) = w.colwise().squaredNorm();
    return 0;
  };
  m.downdate = [](CudaState* s, const double* q, long long count) {
    const ConstColumns left(q, s->k.rows(), count);
    s->k.triangularView<Eigen::Lower>() -= left * left.transpose();
    return 0;
  };
  m.contract = [](CudaState* s, const double* a, long long c, double columns, double* out) {
    const ConstColumns left(a, s->k.rows(), c);
    const Matrix g = 0.5 * (left * left.transpose() - columns * full(s->k));
    double v[KernelProgram::most_steps], u[KernelProgram::most_steps];
    std::fill(out, out + s->program.slots, 0.0);
    const Index n = s->k.rows();
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        const PointView pi{s->x.data() + i, n}, pj{s->x.data() + j, n};
        (void)program::value(s->program, pi, pj, v);
        program::slopes(s->program, pi, pj, v, u, g(i, j), [&](int slot, double d) { out[slot] += d; });
      }
    return 0;
  };
  m.half_cross = [](CudaState* s, const double* z, long long count, const double* alpha, const double* basis,
                    long long p, double* mean, double* squares, double* trend, double* gram) {
    const Index n = s->k.rows();
    Matrix b = between(s->program, s->x, ConstColumns(z, count, s->x.cols()));
    Eigen::Map<Vector>(mean, count) = b.transpose() * Eigen::Map<const Vector>(alpha, n);
    s->k.triangularView<Eigen::Lower>().solveInPlace(b);
    Eigen::Map<Vector>(squares, count) = b.colwise().squaredNorm();
    if (p) Columns(trend, p, count) = ConstColumns(basis, n, p).transpose() * b;
    if (gram) Columns(gram, count, count) = (b.transpose() * b).triangularView<Eigen::Lower>();
    return 0;
  };
  m.bytes_for_blocks = [](long long n, int d, int most, int) { return 8.0 * double(n) * (d + most); };
  m.blocks_create = [](int, long long n, int d, int most, const double* x, const int* sets,
                       CudaBlocks** out) {
    *out = new CudaBlocks{ConstColumns(x, d, n), {sets, sets + n * most}, most};
    return 0;
  };
  m.blocks_destroy = [](CudaBlocks* s) { delete s; };
  m.blocks_whiten = [](CudaBlocks* s, const KernelProgram* p, const double* columns, int width,
                       const double* noise, double* out, double* log_d, int* singular) {
    ++counts.whitened;
    const BlockPoints points = s->points();
    Vector room(block::space(points.most, points.d, width));
    block::Block b(points, width, room.data());
    *singular = 0;
    for (long long i = 0; i < points.n; ++i)
      if (!block::whiten(*p, points, {columns, noise, width}, i, b, OneLane(), out, log_d)) *singular = 1;
    return 0;
  };
  m.blocks_slopes = [](CudaBlocks* s, const KernelProgram* p, const double* residual, const double* noise,
                       double* out, int* singular) {
    const BlockPoints points = s->points();
    Vector room(block::space(points.most, points.d, 1));
    block::Block b(points, 1, room.data());
    *singular = 0;
    std::fill(out, out + p->slots + 1, 0.0);
    for (long long i = 0; i < points.n; ++i)
      if (!block::slopes(
              *p, points, {residual, noise, 1}, i, b, OneLane(), [&](int slot, double v) { out[slot] += v; },
              [&](double v) { out[p->slots] += v; }))
        *singular = 1;
    return 0;
  };
  return m;
}

}  // namespace

HostModuleCounts host_module_counts() { return counts; }

std::shared_ptr<const Place> host_place(double bytes) {
  static const CudaModule module = made();
  memory = bytes;
  return cuda_place(module, 0);
}

}  // namespace covary::test
