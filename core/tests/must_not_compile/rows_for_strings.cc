// expect: cannot convert 'const covary::Matrix'
#include "covary/process/process.h"

/// A process over strings is not asked at rows of a matrix.
covary::Vector mean(const covary::Process<std::string>& p, const covary::Matrix& x) { return p.mean(x); }
