#include "inference/state_space/state_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "covary/kernels/held.h"
#include "inference/state_space/state_decay.h"

namespace covary::internal {
namespace {

/// Walks a tree in the order of the kernel's parameters, as long as `reason` is empty.
class TermReader {
 public:
  TermReader(const Kernel<Row>& kernel, Index order) : order_(order), held_(held_columns(kernel)) {
    for (const Parameter& p : kernel.parameters()) slots_.push_back(p.fixed ? -1 : parameters++);
  }

  std::string reason;
  Index parameters = 0, column = -1;
  bool approximate = false;
  std::vector<std::string> notes;

  std::vector<StateTerm> read(const Expression& e, const std::vector<Index>& seen) {
    using Kind = Expression::Kind;
    if (e.kind == Kind::number) return constant(e.value);
    if (e.kind == Kind::scaled) return scaled(e, seen);
    if (e.kind == Kind::sum) return sum(e, seen);
    if (e.kind == Kind::product) return product(e, seen);
    if (e.kind == Kind::call && !e.function) return call(e, seen);
    return refused(e);
  }

 private:
  Index take() { return at_ < slots_.size() ? slots_[at_++] : -1; }

  std::vector<StateTerm> refused(const Expression& e, const std::string& why = "it has no state space") {
    if (reason.empty()) reason = fmt::format("cannot take {}: {}", text_of(e), why);
    return {};
  }

  std::vector<StateTerm> constant(double variance) {
    StateTerm t;
    t.variance = variance;
    if (const Index slot = take(); slot >= 0) t.slots.push_back(slot);
    return {t};
  }

  std::vector<StateTerm> scaled(const Expression& e, const std::vector<Index>& seen) {
    const Index slot = take();
    std::vector<StateTerm> terms = read(e.parts[0], seen);
    for (StateTerm& t : terms) {
      t.variance *= e.value;
      if (slot >= 0) t.slots.push_back(slot);
    }
    return terms;
  }

  std::vector<StateTerm> sum(const Expression& e, const std::vector<Index>& seen) {
    std::vector<StateTerm> all;
    for (const Expression& part : e.parts)
      for (StateTerm& t : read(part, seen)) all.push_back(std::move(t));
    return all;
  }

  std::vector<StateTerm> product(const Expression& e, const std::vector<Index>& seen) {
    std::vector<StateTerm> all{StateTerm{}};
    for (const Expression& part : e.parts) {
      std::vector<StateTerm> next;
      const std::vector<StateTerm> own = read(part, seen);
      for (const StateTerm& a : all)
        for (const StateTerm& b : own) {
          next.push_back(a);
          StateTerm& t = next.back();
          t.variance *= b.variance;
          t.slots.insert(t.slots.end(), b.slots.begin(), b.slots.end());
          t.decays.insert(t.decays.end(), b.decays.begin(), b.decays.end());
          t.features.insert(t.features.end(), b.features.begin(), b.features.end());
        }
      all = std::move(next);
      if (std::ssize(all) > most_states) return refused(e, "it has too many terms");
    }
    return all;
  }

  std::vector<StateTerm> call(const Expression& e, const std::vector<Index>& seen) {
    if (e.name == "fixed" && e.parts.size() == 1) return read(e.parts[0], seen);
    if (e.name == "on" && e.parts.size() == 1) {
      std::vector<Index> inner;
      for (const Index k : e.reads) inner.push_back(k < std::ssize(seen) ? seen[static_cast<size_t>(k)] : k);
      return read(e.parts[0], inner);
    }
    if (e.name == "constant" && e.parameters.size() == 1) return constant(e.parameters[0].value);
    static const std::vector<std::string> known{"matern12", "matern32", "matern52", "se",
                                                "linear",   "cosine",   "periodic"};
    const auto found = std::find(known.begin(), known.end(), e.name);
    if (!e.parts.empty() || found == known.end()) return refused(e);
    const Index place = time(e, seen);
    if (place < 0) return {};
    StateTerm t;
    if (found - known.begin() < 4)
      t.decays.push_back(decay(e, found - known.begin(), place));
    else
      t.features.push_back(feature(e, place));
    return {t};
  }

  /// Which of the columns that e sees is time: the only one that is not held. -1 if there is none.
  Index time(const Expression& e, const std::vector<Index>& seen) {
    Index place = -1;
    for (size_t i = 0; i < seen.size(); ++i) {
      const bool held =
          std::any_of(held_.begin(), held_.end(), [&](const HeldColumn& h) { return h.column == seen[i]; });
      if (held && e.name != "linear") continue;
      if (place >= 0)
        return refused(e,
                       fmt::format("it reads {} columns, and time is one: use on(column, ...)", seen.size())),
               -1;
      place = Index(i);
    }
    if (place < 0) return refused(e, "all columns that it reads are constant"), -1;
    const Index c = seen[static_cast<size_t>(place)];
    if (column >= 0 && c != column)
      return refused(e,
                     fmt::format("it reads column {}, the part before it column {}, and time is one column",
                                 c + 1, column + 1)),
             -1;
    column = c;
    return place;
  }

  /// The one length-scale of the parameters of e, or that of this column; slots of the others are passed by.
  std::pair<double, Index> lengthscale(const Expression& e, Index place) {
    std::pair<double, Index> out{std::numeric_limits<double>::quiet_NaN(), -1};
    Index at = 0;
    for (const Parameter& p : e.parameters) {
      if (p.path == "period") continue;
      const Index slot = take();
      if (at == 0 || at == place) out = {p.value, slot};
      ++at;
    }
    return out;
  }

  StateDecay decay(const Expression& e, Index which, Index place) {
    const auto [length, slot] = lengthscale(e, place);
    if (which < 3) return {which + 1, true, std::sqrt(double(2 * which + 1)) / length, slot};
    const Index order = std::clamp<Index>(order_, 2, most_se_order);
    approximate = true;
    notes.push_back(fmt::format("se is approximate, of order {}: its correlations are off by at most {:.2g}",
                                order, se_error(order)));
    return {order, false, 1 / length, slot};
  }

  StateFeature feature(const Expression& e, Index place) {
    StateFeature f;
    if (e.name == "linear") {
      std::tie(f.unit, f.unit_slot) = lengthscale(e, place);
      return f;
    }
    f.kind = e.name == "cosine" ? StateFeature::Kind::cosine : StateFeature::Kind::periodic;
    if (f.kind == StateFeature::Kind::periodic) {
      std::tie(f.lengthscale, f.slot) = lengthscale(e, place);
      f.harmonics = order_;
    }
    for (const Parameter& p : e.parameters)
      if (p.path == "period") f.unit = p.value, f.unit_slot = take();
    if (f.kind == StateFeature::Kind::periodic) note_harmonics(f);
    return f;
  }

  void note_harmonics(const StateFeature& f) {
    if (!(f.lengthscale > 0)) return;  // not given yet
    const double left = std::max(0.0, 1 - harmonic_weights(f.lengthscale, f.harmonics).sum());
    if (left <= 1e-15) return;
    approximate = true;
    notes.push_back(
        fmt::format("periodic is approximate, of {} harmonics: its correlations are off by at most {:.2g}",
                    f.harmonics, left));
  }

  Index order_;
  HeldColumns held_;
  std::vector<Index> slots_;
  size_t at_ = 0;
};

}  // namespace

StateModelOrReason state_model(const Kernel<Row>& kernel, Index columns, Index order) {
  TermReader reader(kernel, order);
  StateModelOrReason out;
  StateModel& m = out.model;
  m.terms = reader.read(kernel.node(), all_indices(columns));
  m.column = std::max<Index>(reader.column, 0);
  m.parameters = reader.parameters;
  m.approximate = reader.approximate;
  for (std::string& note : reader.notes)
    if (std::find(m.notes.begin(), m.notes.end(), note) == m.notes.end()) m.notes.push_back(std::move(note));
  for (StateTerm& t : m.terms) {
    t.first = m.size;
    for (const StateDecay& d : t.decays) t.d *= d.order;
    for (const StateFeature& f : t.features) t.q *= f.size();
    m.size += t.size();
    if (m.size > most_states) break;
  }
  out.reason = reader.reason;
  if (out.reason.empty() && m.size > most_states)
    out.reason =
        fmt::format("takes kernels of at most {} states, and {} has more", most_states, kernel.text());
  return out;
}

Matrix stationary(const StateModel& model) {
  Matrix p = Matrix::Zero(model.size, model.size);
  for (const StateTerm& t : model.terms) {
    const Matrix own = stationary(t);
    for (Index a = 0; a < t.d; ++a)
      for (Index b = 0; b < t.d; ++b)
        for (Index f = 0; f < t.q; ++f) p(t.first + a * t.q + f, t.first + b * t.q + f) = own(a, b);
  }
  return p;
}

/// w_0 = e^-z I_0(z), w_j = 2 e^-z I_j(z), z = 1/lengthscale^2: ratios r_j = I_j/I_{j-1} = 1/(2 j/z + r_{j+1}) are stable
/// from above, and all weights add up to 1. Beyond 1e6 they are those of a normal of variance z.
Vector harmonic_weights(double lengthscale, Index most, Vector* slopes) {
  const double z = 1 / (lengthscale * lengthscale);
  Vector w = Vector::Zero(most + 1), slope = Vector::Zero(most + 1);  // slope: of log w in log lengthscale
  if (z > 1e6) {
    for (Index j = 0; j <= most; ++j) {
      const double square = double(j * j);
      w[j] = (j > 0 ? 2 : 1) * std::exp(-square / (2 * z)) / std::sqrt(2 * std::numbers::pi * z);
      slope[j] = 1 - square / z;
    }
  } else {
    const Index last = std::max(most + 1, Index(9 * std::sqrt(z) + 20));
    Vector r = Vector::Zero(last + 2);
    for (Index j = last; j >= 1; --j) r[j] = 1 / (2 * double(j) / z + r[j + 1]);
    double ratio = 1, sum = 1;  // I_j/I_0; its sum with both signs of j
    for (Index j = 1; j <= last; ++j) {
      ratio *= r[j], sum += 2 * ratio;
      if (j <= most) w[j] = 2 * ratio;
    }
    w[0] = 1;
    w /= sum;
    for (Index j = 0; j <= most; ++j) {  // d log(e^-z I_j)/dz = (I_{j-1} + I_{j+1})/(2 I_j) - 1
      const double below = j == 0 ? r[1] : 1 / r[j];
      slope[j] = -2 * z * (0.5 * (below + r[j + 1]) - 1);
      if (!std::isfinite(slope[j])) slope[j] = 0;
    }
  }
  if (slopes) *slopes = slope;
  return w;
}

namespace {

/// Of one feature at m times: its values (size x m), and its slopes in the logarithms of its unit and length-scale.
struct FeatureValues {
  Matrix values, by_unit, by_lengthscale;
};

FeatureValues values_of(const StateFeature& f, const double* t, Index m, double origin, bool slopes) {
  FeatureValues out{Matrix(f.size(), m), {}, {}};
  if (slopes) out.by_unit = out.by_lengthscale = Matrix::Zero(f.size(), m);
  if (f.kind == StateFeature::Kind::linear) {
    for (Index i = 0; i < m; ++i) out.values(0, i) = t[i] / f.unit;
    if (slopes) out.by_unit = -out.values;
    return out;
  }
  const Index harmonics = f.kind == StateFeature::Kind::cosine ? 1 : f.harmonics,
              shift = f.kind == StateFeature::Kind::cosine ? 0 : 1;  // the constant comes first
  Vector slope, weight = f.kind == StateFeature::Kind::cosine
                             ? Vector(Vector::Ones(2))
                             : harmonic_weights(f.lengthscale, harmonics, slopes ? &slope : nullptr);
  const Vector root = weight.cwiseSqrt();
  for (Index i = 0; i < m; ++i) {
    const double u = (t[i] - origin) / f.unit, angle = 2 * std::numbers::pi * (u - std::round(u)),
                 turns = 2 * std::numbers::pi * u;
    const double c1 = std::cos(angle), s1 = std::sin(angle);
    double c = 1, s = 0;
    if (shift) {
      out.values(0, i) = root[0];
      if (slopes) out.by_lengthscale(0, i) = 0.5 * slope[0] * root[0];
    }
    for (Index j = 1; j <= harmonics; ++j) {
      const double next = c * c1 - s * s1;
      s = s * c1 + c * s1, c = next;
      const Index at = shift + 2 * (j - 1);
      out.values(at, i) = root[j] * c, out.values(at + 1, i) = root[j] * s;
      if (!slopes) continue;
      out.by_unit(at, i) = double(j) * turns * root[j] * s;
      out.by_unit(at + 1, i) = -double(j) * turns * root[j] * c;
      if (shift) {
        out.by_lengthscale(at, i) = 0.5 * slope[j] * root[j] * c;
        out.by_lengthscale(at + 1, i) = 0.5 * slope[j] * root[j] * s;
      }
    }
  }
  return out;
}

/// Each column of a times each of b: |a| |b| x m.
Matrix columnwise_product(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows() * b.rows(), a.cols());
  for (Index i = 0; i < a.rows(); ++i)
    out.middleRows(i * b.rows(), b.rows()) = b.array().rowwise() * a.row(i).array();
  return out;
}

}  // namespace

Matrix features(const StateTerm& term, const double* t, Index m, double origin,
                std::vector<FeatureSlopes>* slopes) {
  Matrix all = Matrix::Constant(1, m, std::sqrt(term.variance));
  std::vector<FeatureSlopes> found;
  for (const StateFeature& f : term.features) {
    const FeatureValues v = values_of(f, t, m, origin, slopes != nullptr);
    for (FeatureSlopes& s : found) s.values = columnwise_product(s.values, v.values);
    if (slopes && f.unit_slot >= 0) found.push_back({f.unit_slot, columnwise_product(all, v.by_unit)});
    if (slopes && f.slot >= 0) found.push_back({f.slot, columnwise_product(all, v.by_lengthscale)});
    all = columnwise_product(all, v.values);
  }
  if (slopes) *slopes = std::move(found);
  return all;
}

}  // namespace covary::internal
