// Checks that results are finite, before they are shown or saved.
#pragma once
#include <string>
#include <string_view>

namespace covary {

struct Summary;

namespace internal {
/// The value; throws Problem::numerical, calling it `what`, unless it is finite. What people are told, and
/// what is saved, passes through here.
double finite(double value, std::string_view what = "a result");

/// Six significant digits, or other words where the value is not finite and that is an answer.
std::string rounded_or(double value, std::string_view otherwise);

/// Of a process: throws Problem::numerical, naming it, unless the evidence and what leave-one-out says are
/// finite. Leave-one-out may be NaN: not defined.
void check_finite(const Summary& summary);
}  // namespace internal

}  // namespace covary
