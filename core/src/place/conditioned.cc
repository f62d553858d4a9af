#include "covary/place/conditioned.h"

#include <fmt/format.h>

namespace covary {
using namespace internal;

Conditioned::Conditioned(Field field, Vector noise, int threads)
    : given_(std::move(field), threads), noise_(std::move(noise)) {}

void Conditioned::take(Index place, double noise) {
  if (!(variance()[place] + noise > 1e-14 * (field().diagonal[place] + noise)))
    throw Error(Problem::numerical, fmt::format("the reading at place {} is known from {} others to "
                                                "rounding: give the sensors noise or the field "
                                                "a nugget",
                                                place + 1, given_.count()));
  given_.condition_on(place, noise);
}

}  // namespace covary
