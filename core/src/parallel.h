// Independent tasks across threads.
#pragma once
#include <functional>

#include "covary/types.h"

namespace covary {

/// f(0), ..., f(tasks - 1), each once, on up to `threads` threads; rethrows the first exception.
void parallel_for(Index tasks, int threads, const std::function<void(Index)>& f);

/// 0 means all that the machine offers.
int threads_or_all(int threads);

}  // namespace covary
