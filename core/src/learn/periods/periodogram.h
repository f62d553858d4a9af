// The periodogram of observations at uneven times, and its peaks.
#pragma once
#include "covary/base/types.h"

namespace covary {

/// Power of the frequencies f at times t (Lomb and Scargle): the share of the sum of squares of y that
/// a cos(2 pi f t) + b sin(2 pi f t), fitted by least squares, explains. O(n f)
Vector periodogram(const Vector& t, const Vector& y, const Vector& frequencies);

/// The periods of the highest peaks of the periodogram of y without its quadratic trend, the highest first.
/// Between twice the median gap and the range of t; at most `most`, and 2000 rows are looked at.
Vector peak_periods(const Vector& t, const Vector& y, Index most = 6);

}  // namespace covary
