// Long work that Ctrl-C stops: done on a thread of its own while Python's thread looks for signals.
#pragma once
#include <atomic>
#include <functional>
#include <memory>

namespace covary::python {

/// Whether the work is still wanted.
using Wanted = std::shared_ptr<const std::atomic<bool>>;

/// Runs work(wanted) and returns, or rethrows what it threw. Called with the GIL held, and lets go of it. A
/// signal's exception is thrown at most 0.3 s after it came; work that has not noticed by then finishes on
/// its own, and what it returns is lost: it must own, or share, all it uses.
void watched(std::function<void(const Wanted&)> work);

/// Waits for work that was given up. Called when the interpreter ends, before the libraries go.
void finish_watched();

}  // namespace covary::python
