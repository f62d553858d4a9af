// A kernel over numbers as a small program, and its interpreter for one pair of points: the same source on a GPU and
// on the host. Plain data: no type of the host's libraries.
//
//   value:    v_i of every step from those before it; the last one is k(a, b)
//   slopes:   adjoints u_i backwards, u_last = w; a step with parameters adds u_i dv_i/dtheta
//
// The steps are a tree in postfix order, so a product's adjoint is v of its other part times its own.
#pragma once
#include <math.h>

#ifdef __CUDACC__
#define COVARY_DEVICE __host__ __device__ __forceinline__
#else
#define COVARY_DEVICE inline
#endif

namespace covary::internal {

enum class Step : int {
  constant,
  se,
  matern12,
  matern32,
  matern52,
  rational_quadratic,
  wendland,
  periodic,
  cosine,
  circular,
  linear,
  polynomial,
  scaled,
  sum,
  product
};

struct KernelStep {
  Step kind = Step::constant;
  int first = 0, count = 0;   // its columns: positions in KernelProgram::column, weight and slot
  int left = -1, right = -1;  // the steps of its parts
  int slot = -1;              // of the parameter beside the length-scales, in theta; -1: none, or it is fixed
  double number = 0;          // variance, alpha, period, offset; Wendland's exponent
  double extra = 0;           // 1/l^2 of a circular kernel; degree; smoothness
};

struct KernelProgram {
  static constexpr int most_steps = 32, most_columns = 256, most_slots = 96;
  int steps = 0, columns = 0, slots = 0;  // slots: the size of theta
  KernelStep step[most_steps];
  int column[most_columns];     // of the points
  double weight[most_columns];  // 1/l^2; sqrt of it for Wendland's kernel is taken where it is used
  int slot[most_columns];       // of the length-scale in theta, -1: fixed
};

/// One point: coordinates at x[k * stride].
struct PointView {
  const double* x;
  long long stride;
  COVARY_DEVICE double operator[](int k) const { return x[k * stride]; }
};

namespace program {

constexpr double pi = 3.14159265358979323846;

/// sin(pi t), reduced to one period first.
COVARY_DEVICE double sin_pi(double t) { return sin(pi * (t - 2 * rint(0.5 * t))); }

COVARY_DEVICE double power(double x, int n) {
  double out = 1;
  for (; n > 0; n /= 2, x *= x)
    if (n % 2) out *= x;
  return out;
}

/// sum_k weight_k (a_k - b_k)^2.
template <class A, class B>
COVARY_DEVICE double squares(const KernelProgram& p, const KernelStep& s, const A& a, const B& b) {
  double sum = 0;
  for (int i = s.first; i < s.first + s.count; ++i) {
    const double d = a[p.column[i]] - b[p.column[i]];
    sum += p.weight[i] * d * d;
  }
  return sum;
}

/// (chord/l)^2 of points of a circle.
template <class A, class B>
COVARY_DEVICE double chord(const KernelProgram& p, const KernelStep& s, const A& a, const B& b) {
  const double t = s.number / pi * sin_pi((a[p.column[s.first]] - b[p.column[s.first]]) / s.number);
  return s.extra * t * t;
}

template <class A, class B>
COVARY_DEVICE double inner(const KernelProgram& p, const KernelStep& s, const A& a, const B& b) {
  double sum = 0;
  for (int i = s.first; i < s.first + s.count; ++i) sum += p.weight[i] * b[p.column[i]] * a[p.column[i]];
  return sum;
}

COVARY_DEVICE double wendland(double s, double j, int q) {
  if (!(s < 1)) return 0;
  const double r = sqrt(s);
  const double f = q == 1 ? (j + 1) * r + 1 : (j + 1) * (j + 3) / 3 * s + (j + 2) * r + 1;
  return f * power(1 - r, int(j) + q);
}

COVARY_DEVICE double wendland_slope(double s, double j, int q) {
  if (!(s < 1)) return 0;
  const double r = sqrt(s);
  if (q == 1) return (j + 1) * (j + 2) * power(1 - r, int(j));
  return (j + 3) * (j + 4) / 3 * (1 + (j + 1) * r) * power(1 - r, int(j) + 1);
}

/// k = f(s) of a stationary kernel of r = sqrt(s).
COVARY_DEVICE double profile(Step kind, double s) {
  if (kind == Step::se) return exp(-0.5 * s);
  const double c = kind == Step::matern12 ? 1 : kind == Step::matern32 ? 3 : 5;
  const double r = sqrt(c * s), e = exp(-r);
  return kind == Step::matern12 ? e : kind == Step::matern32 ? (1 + r) * e : (1 + r + r * r / 3) * e;
}

/// -2 f'(s): dk/dlog l_k = -2 f'(s) weight_k (a_k - b_k)^2.
COVARY_DEVICE double profile_slope(Step kind, double s) {
  if (kind == Step::se) return exp(-0.5 * s);
  const double c = kind == Step::matern12 ? 1 : kind == Step::matern32 ? 3 : 5;
  const double r = sqrt(c * s), e = exp(-r);
  if (kind == Step::matern12) return r > 0 ? e / r : 0;  // where r = 0 it meets a zero difference
  return kind == Step::matern32 ? 3 * e : 5.0 / 3 * (1 + r) * e;
}

/// The value of step i from those before it.
template <class A, class B>
COVARY_DEVICE double value_of(const KernelProgram& p, const KernelStep& s, const A& a, const B& b,
                              const double* v) {
  switch (s.kind) {
    case Step::constant:
      return s.number;
    case Step::scaled:
      return s.number * v[s.left];
    case Step::sum:
      return v[s.left] + v[s.right];
    case Step::product:
      return v[s.left] * v[s.right];
    case Step::linear:
      return inner(p, s, a, b);
    case Step::polynomial:
      return power(inner(p, s, a, b) + s.number, int(s.extra));
    case Step::rational_quadratic:
      return exp(-s.number * ::log1p(squares(p, s, a, b) / (2 * s.number)));
    case Step::wendland:
      return wendland(squares(p, s, a, b), s.number, int(s.extra));
    case Step::circular:
      return profile(Step::matern52, chord(p, s, a, b));
    case Step::cosine:
      return sin_pi(2 * fabs((a[p.column[s.first]] - b[p.column[s.first]]) / s.number) + 0.5);
    case Step::periodic: {
      double sum = 0;
      for (int i = s.first; i < s.first + s.count; ++i) {
        const double t = sin_pi((a[p.column[i]] - b[p.column[i]]) / s.number);
        sum += p.weight[i] * t * t;
      }
      return exp(-2 * sum);
    }
    default:
      return profile(s.kind, squares(p, s, a, b));
  }
}

/// add(slot, u h weight_k (a_k - b_k)^2) for every length-scale that is not fixed.
template <class A, class B, class Add>
COVARY_DEVICE void add_lengths(const KernelProgram& p, const KernelStep& s, const A& a, const B& b, double uh,
                               const Add& add) {
  for (int i = s.first; i < s.first + s.count; ++i) {
    const double d = a[p.column[i]] - b[p.column[i]];
    if (p.slot[i] >= 0) add(p.slot[i], uh * p.weight[i] * d * d);
  }
}

/// add(slot, u dv/dtheta) for the parameters of one step, with its value v.
template <class A, class B, class Add>
COVARY_DEVICE void slopes_of(const KernelProgram& p, const KernelStep& s, const A& a, const B& b, double v,
                             double u, const Add& add) {
  switch (s.kind) {
    case Step::constant:
    case Step::scaled:
      if (s.slot >= 0) add(s.slot, u * v);
      return;
    case Step::sum:
    case Step::product:
      return;
    case Step::linear:
      for (int i = s.first; i < s.first + s.count; ++i)
        if (p.slot[i] >= 0) add(p.slot[i], -2 * u * p.weight[i] * a[p.column[i]] * b[p.column[i]]);
      return;
    case Step::polynomial:
      if (s.slot >= 0)
        add(s.slot, u * s.extra * s.number * power(inner(p, s, a, b) + s.number, int(s.extra) - 1));
      return;
    case Step::rational_quadratic: {
      const double t = squares(p, s, a, b) / (2 * s.number);
      add_lengths(p, s, a, b, u * v / (1 + t), add);
      if (s.slot >= 0) add(s.slot, u * s.number * v * (t / (1 + t) - ::log1p(t)));
      return;
    }
    case Step::wendland:
      add_lengths(p, s, a, b, u * wendland_slope(squares(p, s, a, b), s.number, int(s.extra)), add);
      return;
    case Step::circular: {
      const double t = chord(p, s, a, b);
      if (p.slot[s.first] >= 0) add(p.slot[s.first], u * t * profile_slope(Step::matern52, t));
      return;
    }
    case Step::cosine: {
      const double t = (a[p.column[s.first]] - b[p.column[s.first]]) / s.number;
      if (s.slot >= 0) add(s.slot, 2 * pi * u * t * sin_pi(2 * t));
      return;
    }
    case Step::periodic: {
      double period = 0;
      for (int i = s.first; i < s.first + s.count; ++i) {
        const double t = (a[p.column[i]] - b[p.column[i]]) / s.number, w = sin_pi(t);
        if (p.slot[i] >= 0) add(p.slot[i], 4 * u * v * p.weight[i] * w * w);
        period += p.weight[i] * t * sin_pi(2 * t);
      }
      if (s.slot >= 0) add(s.slot, 2 * pi * u * v * period);
      return;
    }
    default:
      add_lengths(p, s, a, b, u * profile_slope(s.kind, squares(p, s, a, b)), add);
  }
}

/// v: at least p.steps numbers.
template <class A, class B>
COVARY_DEVICE double value(const KernelProgram& p, const A& a, const B& b, double* v) {
  for (int i = 0; i < p.steps; ++i) v[i] = value_of(p, p.step[i], a, b, v);
  return v[p.steps - 1];
}

/// After value(): adds w dk/dtheta. u: as long as v.
template <class A, class B, class Add>
COVARY_DEVICE void slopes(const KernelProgram& p, const A& a, const B& b, const double* v, double* u,
                          double w, const Add& add) {
  u[p.steps - 1] = w;
  for (int i = p.steps - 1; i >= 0; --i) {
    const KernelStep& s = p.step[i];
    if (s.kind == Step::scaled) u[s.left] = u[i] * s.number;
    if (s.kind == Step::sum) u[s.left] = u[s.right] = u[i];
    if (s.kind == Step::product) u[s.left] = u[i] * v[s.right], u[s.right] = u[i] * v[s.left];
    slopes_of(p, s, a, b, v[i], u[i], add);
  }
}

}  // namespace program
}  // namespace covary::internal
