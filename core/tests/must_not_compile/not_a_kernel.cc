// expect: from 'const Number' to non-scalar type 'covary::Kernel<covary::Row>'
#include "covary/kernels/kernel.h"

struct Number {
  double value = 1;
};

covary::Kernel<covary::Row> kernel() {
  const Number n;
  covary::Kernel<covary::Row> k = n;
  return k;
}
