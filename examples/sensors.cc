// Where to put five sensors in a hall of 20 m by 12 m, one of which stands already; and how good the set is
// at least.
#include <covary/design/place.h>
#include <covary/kernels/expression.h>

#include <cstdio>

int main() {
  using namespace covary;
  Matrix places(77, 2);
  for (Index i = 0; i < 77; ++i) places.row(i) << 2.0 * double(i % 11), 2.0 * double(i / 11);

  const FieldPrior field =
      field_prior(parse<Row>("4 * matern52(lengthscale=6)"), places, {"x", "y"}, {.nugget = 0.1});
  PlacementProblem hall;
  hall.noise = Vector::Constant(1, 0.05);  // of a sensor
  hall.existing = {0};                     // in the corner
  hall.distance = [&](Index i, Index j) { return (places.row(i) - places.row(j)).norm(); };
  hall.min_distance = 3;

  const PlaceRequest four{
      .criterion = &criterion_called("mutual-information"), .k = 4, .search = PlaceSearch::refined};
  for (const Pick& p : place(field, problem_of(field, hall), four).placed.picks)
    std::printf("at %2.0f, %2.0f m: %.3f nats more, sd left %.2f on average, at least %.0f %% of the best\n",
                places(p.place, 0), places(p.place, 1), p.gain, p.mean_sd, 100 * p.share());
}
