// Where to put five sensors in a hall of 20 m by 12 m, one of which stands already; and how good the set is
// at least.
#include <covary/kernels/expression.h>
#include <covary/place/placement.h>

#include <cstdio>

int main() {
  using namespace covary;
  Matrix places(77, 2);
  for (Index i = 0; i < 77; ++i) places.row(i) << 2.0 * double(i % 11), 2.0 * double(i / 11);

  PlacementProblem hall;
  hall.fields = {with_nugget(field_of(parse<Row>("4 * matern52(lengthscale=6)"), places), 0.1)};
  hall.noise = Vector::Constant(1, 0.05);  // of a sensor
  hall.existing = {0};                     // in the corner
  hall.distance = [&](Index i, Index j) { return (places.row(i) - places.row(j)).norm(); };
  hall.min_distance = 3;

  const CriterionEntry& criterion = criterion_called("mutual-information");
  const Placed set = refined(hall, criterion, place(hall, criterion, 4));
  for (const Pick& p : set.picks)
    std::printf("at %2.0f, %2.0f m: %.3f nats more, sd left %.2f on average, at least %.0f %% of the best\n",
                places(p.place, 0), places(p.place, 1), p.gain, p.mean_sd, 100 * p.share());
}
