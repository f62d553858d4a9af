// A covariance matrix that is held, factored and inverted elsewhere than in this process's memory: on a GPU, or on
// a cluster, each rank of which holds some tiles.
//
//   K + diag(noise) = L L'  ->  L^-1 b, L'^-1 b, |L_ii|  ->  K^-1, contracted with dK/dtheta where it is
//
// A Gram that names a place is factored there (factor.h); what is above the factor does not see where it is.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "covary/algebra/gram.h"

namespace covary::internal {

struct KernelProgram;  // algebra/remote/kernel_program.h

/// A kernel as a device computes it, and points in the columns that it reads.
struct ProgramOnPoints {
  std::shared_ptr<const KernelProgram> program;
  Matrix points;  // n x d
};

/// Of B = k(X, Z), n x m, and H = L^-1 B.
struct HalfCross {
  Vector mean;     // m: B'alpha
  Vector squares;  // m: |H_j|^2
  Matrix trend;    // p x m: F'H
  Matrix gram;     // m x m: H'H, if it was asked for
};

constexpr Index smallest_remote = 1000;  // rows

/// An n x n symmetric matrix by its lower triangle. Safe to use from many threads, which take turns.
class RemoteMatrix {
 public:
  virtual ~RemoteMatrix() = default;
  virtual Index size() const = 0;

  /// Lower triangle <- K + diag(noise): on the device if the Gram has a program, else on the host.
  virtual void fill(const Gram& gram, const Vector& noise, int threads) = 0;
  virtual double norm() const = 0;                           // the 1-norm of K
  virtual Vector diagonal() const = 0;                       // of what it holds now
  virtual Index factorize() = 0;                             // K -> L; 0, or the pivot (from 1) that failed
  virtual void solve(Matrix& b, bool transposed) const = 0;  // b <- L^-1 b, or L'^-1 b
  virtual void invert() = 0;                                 // L -> K^-1
  virtual Vector inverse_diagonal() const = 0;               // diag K^-1 from L, which stays
  virtual void downdate(const Matrix& q) = 0;                // lower <- lower - q q'
  /// sum_ij G_ij dK_ij/dtheta, G = 1/2 (A A' - m K^-1), of the Gram that it was filled from.
  virtual Vector contract(const Gram& gram, const Matrix& a, double m, int threads) const = 0;
  /// Only for a Gram with a program.
  virtual HalfCross half_cross(const Matrix& points, const Vector& alpha, const Matrix& half_basis,
                               bool gram) const = 0;
  /// Columns c of the lower triangle, from row c.first on: (n - c.first) x c.count.
  virtual Matrix columns(Range c) const = 0;
};

/// Points in the order of their places with their neighbors, and Vecchia's density of numbers at them
/// (inference/vecchia_blocks.h). Safe to use from many threads, which take turns.
class RemoteBlocks {
 public:
  virtual ~RemoteBlocks() = default;
  struct Whitened {
    Matrix rows;       // n x c: e_c/sqrt(d)
    double log_d = 0;  // summed over the points
  };
  struct Slopes {
    Vector theta;      // of the program's parameters
    double noise = 0;  // along the noise variances
  };
  /// Of c columns (c x n) with these noise variances (n); nothing where a point follows from its neighbors to rounding.
  virtual std::optional<Whitened> whitened(const KernelProgram& kernel, const Matrix& columns,
                                           const Vector& noise) const = 0;
  /// Of the log density of a residual (n).
  virtual std::optional<Slopes> slopes(const KernelProgram& kernel, const Vector& residual,
                                       const Vector& noise) const = 0;
};

/// Where matrices can be held.
class Place {
 public:
  virtual ~Place() = default;
  virtual std::string name() const = 0;  // "cuda"
  virtual std::string text() const = 0;  // "NVIDIA H200, 140 GiB"
  /// Throws a limit Error, with the figures and what would fit, if n rows do not.
  virtual void check_fits(Index n) const = 0;
  virtual std::shared_ptr<RemoteMatrix> matrix(Index n) const = 0;
  /// points: d x n as a program reads them, sets: most x n, -1 after the last neighbor; null: not here.
  virtual std::shared_ptr<RemoteBlocks> blocks(const Matrix& /*points*/,
                                               const std::vector<std::int32_t>& /*sets*/,
                                               Index /*most*/) const {
    return {};
  }
  /// Whether all ranks hold a part and compute it as the host does. Then one thread of each may ask, and all do.
  virtual bool collective() const { return false; }
  /// Matrices of fewer rows are factored here, sooner than they could be sent there.
  virtual Index smallest() const { return smallest_remote; }
};

/// "cuda": the first GPU; "cluster": the ranks of this run. Throws a usage Error that says what is missing: the
/// module, a device, a newer driver, a covary::Cluster.
std::shared_ptr<const Place> place_called(const std::string& name);

/// The place called "cluster" from now on; null: there is none.
void set_cluster_place(std::shared_ptr<const Place> place);
std::shared_ptr<const Place> cluster_place();

/// One line for each device there is; empty where the module is not installed.
std::vector<std::string> device_lines();

/// Estimate of 1 / (|K|_1 |K^-1|_1) by a few solves [higham1988].
double reciprocal_condition(const RemoteMatrix& l, double norm);

/// The lower triangle of what it holds, 0 above.
Matrix lower_of(const RemoteMatrix& m);

/// sum_ij G_ij dK_ij/dtheta as in RemoteMatrix::contract, by the Gram on the host: for kernels without a program.
Vector contract_on_host(const RemoteMatrix& inverse, const Gram& gram, const Matrix& a, double m,
                        int threads);

}  // namespace covary::internal
