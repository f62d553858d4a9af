// expect: the required expression 'covary::IndexedBy<X>::join(x, x)' is invalid
#include "covary/kernels/kernel.h"

struct Pair {
  double a, b;
};

/// Points of this type can be borrowed, counted, cut and picked, and not joined.
template <>
struct covary::IndexedBy<Pair> {
  struct View {
    using index_type = Pair;
    const double *a, *b;
    Index size;
  };
  struct Owned {
    using index_type = Pair;
    std::vector<double> a, b;
    operator View() const { return {a.data(), b.data(), Index(a.size())}; }
  };
  static Index count(View x) { return x.size; }
  static View slice(View x, Range r) { return {x.a + r.first, x.b + r.first, r.count}; }
  static Owned pick(View, const std::vector<Index>&) { return {}; }
};

static_assert(covary::IndexType<Pair>);
