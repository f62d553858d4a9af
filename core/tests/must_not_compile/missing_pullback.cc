// expect: the required expression 'k.pullback(a, b, w)' is invalid
#include "covary/kernels/kernel.h"

using namespace covary;

struct Forgetful {
  Matrix cross(Rows a, Rows b) const { return Matrix::Ones(a.rows(), b.rows()); }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  Vector theta() const { return Vector(0); }
  Forgetful with(const Vector&) const { return {}; }
  std::string text() const { return "forgetful()"; }
};

static_assert(KernelOver<Forgetful, Row>);
