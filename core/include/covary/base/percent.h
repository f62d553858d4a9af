// Percentages of intervals.
#pragma once
#include <string>

namespace covary::internal {

/// Throws Problem::usage, calling it `what`, unless 1 <= percent < 100: with a hint where a share was meant,
/// 0.95 for 95.
void check_percent(double percent, const std::string& what = "interval");

}  // namespace covary::internal
