// expect: no match for 'operator+'
#include "covary/kernels/stationary.h"

/// Kernels over rows and over strings do not add up.
auto sum(const covary::Kernel<std::string>& k) { return k + covary::se(1.0); }
