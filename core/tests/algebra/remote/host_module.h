// A CUDA module that computes in this process's memory, by the interpreter that the device runs: what the library does
// with a device is tested without one.
#pragma once
#include "algebra/remote/cuda.h"

namespace covary::test {

/// A device of it. `bytes`: the memory it says it has.
std::shared_ptr<const internal::Place> host_place(double bytes = 1e12);

/// How many matrices it has filled from programs, and how many columns it was sent, since the start.
struct HostModuleCounts {
  int filled = 0;
  Index columns_sent = 0;
  int whitened = 0;  // passes over blocks
};
HostModuleCounts host_module_counts();

}  // namespace covary::test
