// Kernels of places on the Earth, and of angles and hours: stationary kernels of the chord.
//
// The chord is the straight distance through the sphere or the circle: a Euclidean distance, so that every
// stationary kernel of it is positive definite. A Matern kernel of the great-circle distance is not, above nu = 1/2.
//
//   sphere_*   two columns, latitude and longitude in degrees, in this order. With phi and lambda in radians
//                chord^2 = 4 R^2 (sin^2((phi - phi')/2) + cos phi cos phi' sin^2((lambda - lambda')/2)),
//              R = 6371.0088 km, the mean radius; without cancellation for places that are near. Chords are shorter
//              than great circles, by 0.1 % at 1000 km and 10 % at 10000 km.
//   circular   one column, a position on a circle of the given circumference:
//                chord = period/pi |sin(pi (x - z)/period)|,  k = matern52(chord/lengthscale)
//              so that hours have period 24 and directions 360.
#pragma once
#include "covary/kernels/kernel.h"

namespace covary {

namespace internal {
constexpr double earth_radius_km = 6371.0088;

/// n x 3: places (latitude, longitude) in space, in km from the center of the Earth.
Matrix places_in_space(const Rows& x);
}  // namespace internal

/// One length-scale, in km; NaN: not given.
Kernel<Row> sphere_se(double lengthscale = std::numeric_limits<double>::quiet_NaN());
Kernel<Row> sphere_matern12(double lengthscale = std::numeric_limits<double>::quiet_NaN());
Kernel<Row> sphere_matern32(double lengthscale = std::numeric_limits<double>::quiet_NaN());
Kernel<Row> sphere_matern52(double lengthscale = std::numeric_limits<double>::quiet_NaN());

/// The period is given, never learned; the length-scale is in its unit. NaN: not given.
Kernel<Row> circular(double period = 360, double lengthscale = std::numeric_limits<double>::quiet_NaN());

}  // namespace covary
