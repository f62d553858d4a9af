// expect: no matching function for call to 'covary::Process<std::__cxx11::basic_string<char> >::Process(
#include "covary/kernels/stationary.h"
#include "covary/process/process.h"

/// A kernel over rows is no kernel over strings.
covary::Process<std::string> process(covary::se(1.0));
