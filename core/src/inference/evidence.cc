#include "covary/inference/evidence.h"

#include <cmath>

namespace covary {
using namespace internal;

Evaluation evaluate(NormalEvidence& evidence, const Gram& gram, const Target& t, double variance,
                    ObjectiveKind kind, bool gradient, int threads) {
  const Vector noise = t.learn_noise ? Vector(variance * t.data.noise) : t.data.noise;
  const Matrix y = t.data.y;
  const bool loo = kind == ObjectiveKind::leave_one_out;
  const NormalEvidence::Slopes s =
      loo ? evidence.leave_one_out(gram, noise, {y, 1, t.basis}, gradient, threads)
          : evidence.at(gram, noise, {y, 1, t.basis}, gradient, threads);
  Evaluation out{s.value, s.kernel, 0};
  if (!loo) {  // what merging repeated rows took out
    out.value += t.learn_noise ? t.data.constant_at(variance) : t.data.constant;
    out.misfit = s.misfit + (t.learn_noise ? t.data.within / variance : 0);
  }
  if (gradient && t.learn_noise && s.diagonal.size()) {
    out.gradient = concat(s.kernel, Vector::Constant(1, s.diagonal.dot(noise)));
    if (!loo) out.gradient.tail(1).array() += 0.5 * (t.data.within / variance - double(t.data.merged()));
  }
  if (!std::isfinite(out.value) || !out.gradient.allFinite()) out = {};
  return out;
}

template class Evidence<Row>;

}  // namespace covary
