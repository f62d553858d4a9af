// se and Matern kernels of the chord between places on the Earth.
#include "covary/kernels/sphere/sphere.h"

#include <fmt/format.h>

#include <numbers>

#include "covary/kernels/registry.h"
#include "covary/kernels/stationary.h"
#include "kernels/profiles.h"

namespace covary {
using namespace internal;
namespace {

constexpr double km_per_degree = std::numbers::pi / 180 * earth_radius_km;

void check_places(const std::string& kernel, Rows x) {
  if (x.cols() != 2)
    throw Error(Problem::usage,
                fmt::format("{0} is a kernel of two columns, latitude and longitude, found {1}: use on([lat, "
                            "lon], {0}())",
                            kernel, x.cols()));
  for (Index i = 0; i < x.rows(); ++i)
    if (!(std::abs(x(i, 0)) <= 90))
      throw Error(Problem::data, fmt::format("{}: a latitude must be a number from -90 to 90, found {}; the "
                                             "order of the columns is [lat, lon]",
                                             kernel, x(i, 0)));
}

/// n: cos of latitudes, exactly 0 at the poles.
Vector cos_latitudes(Rows x) { return sin_pi(0.5 - x.col(0).array().abs() / 180); }

/// n x 3: the places in space, in km from the center of the Earth.
Matrix in_space(Rows x) {
  const Vector c = cos_latitudes(x);
  Matrix out(x.rows(), 3);
  out.col(0) = c.cwiseProduct(sin_pi(0.5 - x.col(1).array().abs() / 180));
  out.col(1) = c.cwiseProduct(sin_pi(x.col(1) / 180));
  out.col(2) = sin_pi(x.col(0) / 180);
  return earth_radius_km * out;
}

/// A kernel of the plane, and what it is called on the sphere.
struct SphereFamily {
  const char* name;
  void (*value)(Flat);
  void (*slope)(Flat);
  Kernel<Row> (*in_plane)(double lengthscale);
};

struct OfSphere {
  const SphereFamily* family;
  double lengthscale;  // km

  Matrix cross(Rows a, Rows b) const {
    Matrix s = scaled_squares(a, b);
    in_pieces(s, family->value);
    return s;
  }
  Vector diag(Rows a) const {
    check_places(family->name, a);
    return Vector::Ones(a.rows());
  }
  Vector pullback(Rows a, Rows b, const Matrix& w) const {  // dk/dlog l = -2 f'(s) s
    const Matrix s = scaled_squares(a, b);
    Matrix h = s;
    in_pieces(h, family->slope);
    return Vector::Constant(1, (h.array() * s.array() * w.array()).sum());
  }
  // With q = 4 R^2/l^2 and angles in radians
  //   ds/dphi = q (sin(phi - phi')/2 - sin phi cos phi' sin^2((lambda - lambda')/2))
  //   ds/dlambda = q cos phi cos phi' sin(lambda - lambda')/2
  Matrix pullback_inputs(Rows a, Rows b, const Matrix& w) const {
    Matrix h = scaled_squares(a, b);
    in_pieces(h, family->slope);
    h.array() *= -0.5 * scale() * std::numbers::pi / 180 * w.array();
    const Vector ca = cos_latitudes(a), cb = cos_latitudes(b), sa = sin_pi(a.col(0) / 180);
    const Matrix u = differences(a, b, 1, 360);
    const Matrix d_lat = 0.5 * sin_pi(2 * differences(a, b, 0, 360)) -
                         sa.asDiagonal() * sin_pi(u).cwiseAbs2() * cb.asDiagonal();
    const Matrix d_lon = 0.5 * (ca.asDiagonal() * sin_pi(2 * u) * cb.asDiagonal());
    Matrix out(a.rows(), 2);
    out << h.cwiseProduct(d_lat).rowwise().sum(), h.cwiseProduct(d_lon).rowwise().sum();
    return out;
  }
  Vector theta() const { return Vector::Constant(1, std::log(lengthscale)); }
  OfSphere with(const Vector& t) const { return {family, std::exp(t[0])}; }
  Expression node() const { return call_node(family->name, parameters()); }
  /// Not Role::lengthscale: its unit is not that of the columns.
  std::vector<Parameter> parameters() const { return {{"lengthscale", Role::scale, lengthscale}}; }
  Vector start(Rows x, double) const {
    check_places(family->name, x);
    return Vector::Constant(1, 0.5 * std::log(column_spread(in_space(x)).squaredNorm()));
  }
  FeatureMap<Row> features(Random& rng, Index m) const {
    const FeatureMap<Row> space = family->in_plane(lengthscale).features(rng, m);
    return {m, [this_ = *this, space](Rows x) -> Matrix {
              check_places(this_.family->name, x);
              return space(in_space(x));
            }};
  }

 private:
  double scale() const { return std::pow(2 * earth_radius_km / lengthscale, 2); }
  /// n x m: (chord/lengthscale)^2.
  Matrix scaled_squares(Rows a, Rows b) const {
    check_given(parameters());
    check_places(family->name, a), check_places(family->name, b);
    const Vector ca = cos_latitudes(a), cb = cos_latitudes(b);
    Matrix s = sin_pi(differences(a, b, 0, 360)).cwiseAbs2();
    const Matrix t = sin_pi(differences(a, b, 1, 360)).cwiseAbs2();
    for (Index j = 0; j < b.rows(); ++j) s.col(j).array() += (ca.array() * cb[j]) * t.col(j).array();
    return scale() * s;
  }
};

constexpr SphereFamily family_se{"sphere_se", SquaredExponential::value, SquaredExponential::slope, se};
constexpr SphereFamily family_12{"sphere_matern12", Matern12::value, Matern12::slope, matern12};
constexpr SphereFamily family_32{"sphere_matern32", Matern32::value, Matern32::slope, matern32};
constexpr SphereFamily family_52{"sphere_matern52", Matern52::value, Matern52::slope, matern52};

Kernel<Row> of_sphere(const SphereFamily& family, double lengthscale) {
  if (!std::isnan(lengthscale)) check_range(family.name, "lengthscale", lengthscale);
  return OfSphere{&family, lengthscale};
}

/// In km; degrees are those of a great circle.
double lengthscale_in_km(const SphereFamily& family, const Arguments& a) {
  const std::string unit = a.unit("lengthscale");
  if (unit.empty() || unit == "km") return a.number("lengthscale");
  if (unit != "degrees")
    throw Error(Problem::usage,
                fmt::format("{}: lengthscale must be in km or degrees, found {}", family.name, unit));
  for (const Argument& given : a.all())
    for (const Limits& l : given.limits)
      if (l.lower == l.lower)
        throw Error(Problem::usage, fmt::format("{}: a range of its lengthscale must be in km, found degrees "
                                                "(1 degree is {:.5g} km)",
                                                family.name, km_per_degree));
  return a.number("lengthscale") * km_per_degree;
}

Entry<Row> sphere_entry(const SphereFamily& family, const std::string& plane, const std::string& about) {
  return {family.name,
          plane + " of the chord between places",
          about,
          {"lengthscale"},
          [&family](const Arguments& a) { return of_sphere(family, lengthscale_in_km(family, a)); },
          2,
          Nature::local,
          Reads::numbers,
          {},
          {"km", "degrees"}};
}

}  // namespace

Kernel<Row> sphere_se(double l) { return of_sphere(family_se, l); }
Kernel<Row> sphere_matern12(double l) { return of_sphere(family_12, l); }
Kernel<Row> sphere_matern32(double l) { return of_sphere(family_32, l); }
Kernel<Row> sphere_matern52(double l) { return of_sphere(family_52, l); }

namespace entries {

Entry<Row> sphere_se() {
  return sphere_entry(family_se, "se", "very smooth functions of latitude and longitude");
}
Entry<Row> sphere_matern12() {
  return sphere_entry(family_12, "matern12", "rough, continuous functions of latitude and longitude");
}
Entry<Row> sphere_matern32() {
  return sphere_entry(family_32, "matern32", "functions of latitude and longitude with one derivative");
}
Entry<Row> sphere_matern52() {
  return sphere_entry(family_52, "matern52", "functions of latitude and longitude with two derivatives");
}

}  // namespace entries
}  // namespace covary
