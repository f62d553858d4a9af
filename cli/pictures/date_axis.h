// Axes of dates: ticks where years, quarters, months, weeks, days, hours, minutes or seconds begin.
#pragma once
#include <functional>

#include "pictures/axis.h"

namespace covary::cli {

/// From low to high in days or seconds from 1970-01-01, with the most ticks, at most `most`, that `fits` lets
/// through: at least two, and no two labels alike. Labels are short ("1960", "Mar", "14 Mar", "12:00"), and what
/// they share is said once ("2009", "14 Mar 2009"). A range of less than two days, or of no seconds, is widened.
Axis date_axis(double low, double high, Measure::Kind kind, int most,
               const std::function<bool(const Axis&)>& fits);

}  // namespace covary::cli
