#include "covary/select/iwal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/constants.h"
#include "covary/base/error.h"
#include "covary/base/parallel.h"

namespace covary {
using namespace internal;
namespace {

double positive_argument(const Arguments& a, const char* name, double otherwise, double most) {
  const double v = a.number(name);
  if (std::isnan(v)) return otherwise;
  if (!(v > 0 && v <= most))
    throw Error(Problem::usage,
                fmt::format("strategy: iwal: {} must be a positive number{}, found {}", name,
                            std::isinf(most) ? "" : fmt::format(" of {:g} at most", most), v));
  return v;
}

/// Sum of the weights of the labels (n: y is 1 or -1) that f misclassifies.
double missed(const Vector& f, const Vector& y, const Vector& weights) {
  return (f.array() * y.array() > 0).select(0, weights.array()).sum();
}

/// k(., labelled) of the labelled and one point: what a machine with one label more has to see.
struct Grown {
  const Matrix& k;      // n x n
  const Vector& cross;  // n
  double own;
  double operator()(Index i, Index j) const {
    const Index n = k.rows();
    if (i < n && j < n) return k(i, j);
    return i == n && j == n ? own : cross[std::min(i, j)];
  }
};

}  // namespace

IwalOptions internal::iwal_options(const Arguments& a) {
  return {positive_argument(a, "c", IwalOptions{}.c, infinity),
          positive_argument(a, "least", IwalOptions{}.least, 1)};
}

double internal::query_probability(double gap, Index seen, const IwalOptions& o) {
  const auto t = double(seen + 1);
  if (t < 3 || !(gap > 0)) return 1;
  return std::clamp(o.c * (1 / (gap * gap) + 1 / gap) * std::log(t) / (t - 1), o.least, 1.0);
}

Vector internal::query_probabilities(const Pool& k, const Machines& machines,
                                     const std::vector<Index>& classes, const Vector& weights, Index kinds,
                                     const SvmOptions& svm, Index seen, const IwalOptions& options,
                                     int threads) {
  const Index n = std::ssize(classes), m = k.size - n;
  Vector out = Vector::Ones(m);
  if (!machines.any()) return out;
  const std::vector<Index> labelled = all_indices(n);
  const Matrix own = k.among(labelled, labelled), cross = k.block({n, m}, labelled);
  const auto decisions = [&](const Matrix& from) {
    return machines.decision(from.rows(),
                             [&](const std::vector<Index>& s) -> Matrix { return from(Eigen::all, s); });
  };
  const Matrix at_labels = decisions(own), at = decisions(cross);
  parallel_for(m, threads, [&](Index i) {
    Index which = -1;  // the nearest machine
    for (Index c = 0; c < machines.count(); ++c) {
      const Index column = kinds == 2 ? 1 : c;
      if (machines.machine(c) &&
          (which < 0 || std::abs(at(i, column)) < std::abs(at(i, kinds == 2 ? 1 : which))))
        which = c;
    }
    const Index column = kinds == 2 ? 1 : which;
    Vector y(n + 1), w(n + 1);
    for (Index j = 0; j < n; ++j) y[j] = classes[static_cast<size_t>(j)] == column ? 1 : -1;
    y[n] = at(i, column) > 0 ? -1 : 1;
    w << weights, infinity;
    const Vector mine = cross.row(i).transpose();
    const Grown grown{own, mine, k.diagonal[n + i]};
    const KernelBlock block = [&](const std::vector<Index>& r, const std::vector<Index>& c) -> Matrix {
      Matrix b(std::ssize(r), std::ssize(c));
      for (Index q = 0; q < b.cols(); ++q)
        for (Index p = 0; p < b.rows(); ++p)
          b(p, q) = grown(r[static_cast<size_t>(p)], c[static_cast<size_t>(q)]);
      return b;
    };
    SvmOptions o = svm;
    o.threads = 1;
    double gap = infinity;  // no separator has it on the other side
    try {
      const Separator other = separate(block, y, o, &*machines.machine(which), w);
      gap = missed(decision(other, block(labelled, other.support)), y.head(n), weights) -
            missed(at_labels.col(column), y.head(n), weights);
    } catch (const Error& e) {
      if (e.problem() != Problem::data) throw;
    }
    out[i] = query_probability(gap / double(std::max<Index>(1, seen + i)), seen + i, options);
  });
  return out;
}

}  // namespace covary
