#include "covary/select/curves.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "covary/base/error.h"
#include "covary/gaussian/univariate.h"
#include "covary/select/risk.h"

namespace covary {
using namespace internal;
namespace {

/// The share q of sorted values lies below; between neighbors it is interpolated.
double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * double(values.size() - 1);
  const auto low = static_cast<size_t>(at);
  const size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - double(low)) * (values[high] - values[low]);
}

/// Of a run, at so many labels or at the last before.
double error_of(const Trial& run, double labels) {
  double last = run.steps.front().error;
  for (const Step& s : run.steps)
    if (double(s.labels) <= labels) last = s.error;
  return last;
}

/// At the labels of `longest`.
LearningCurve curve_of(const std::vector<const Trial*>& runs, const Trial& longest) {
  LearningCurve out{runs.front()->strategy, {}, {}, {}, {}, {}};
  const Index k = std::ssize(longest.steps);
  out.labels.resize(k), out.mean.resize(k), out.lower.resize(k), out.upper.resize(k);
  out.errors.resize(k, std::ssize(runs));
  for (Index i = 0; i < k; ++i) {
    out.labels[i] = double(longest.steps[static_cast<size_t>(i)].labels);
    for (size_t r = 0; r < runs.size(); ++r) out.errors(i, Index(r)) = error_of(*runs[r], out.labels[i]);
    const std::vector<double> row(out.errors.row(i).begin(), out.errors.row(i).end());
    out.mean[i] = out.errors.row(i).mean();
    out.lower[i] = quantile(row, 0.1), out.upper[i] = quantile(row, 0.9);
  }
  return out;
}

/// Two-sided p of a paired t test.
double paired_p(const Vector& difference) {
  const auto n = double(difference.size());
  if (n < 2) return 1;
  const double mean = difference.mean();
  const double sd = std::sqrt((difference.array() - mean).square().sum() / (n - 1));
  if (sd == 0) return mean == 0 ? 1 : 0;
  return 2 * student_cdf(-std::abs(mean) / (sd / std::sqrt(n)), n - 1);
}

}  // namespace

std::vector<LearningCurve> learning_curves(const std::vector<Trial>& runs) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<const Trial*>> by_name;
  for (const Trial& r : runs) {
    if (r.steps.empty()) continue;
    if (!by_name.count(r.strategy)) names.push_back(r.strategy);
    by_name[r.strategy].push_back(&r);
  }
  std::vector<LearningCurve> out;
  if (names.empty()) return out;
  const Trial& longest = *std::max_element(runs.begin(), runs.end(), [](const Trial& a, const Trial& b) {
    return a.steps.size() < b.steps.size();
  });
  for (const std::string& n : names) out.push_back(curve_of(by_name[n], longest));
  return out;
}

double internal::labels_to_reach(const LearningCurve& curve, double error) {
  Index from = curve.mean.size();
  while (from > 0 && curve.mean[from - 1] <= error) --from;
  return from < curve.mean.size() ? curve.labels[from] : std::numeric_limits<double>::quiet_NaN();
}

double internal::error_at(const LearningCurve& curve, double labels) {
  Index i = 0;
  while (i + 1 < curve.labels.size() && curve.labels[i + 1] <= labels) ++i;
  return curve.mean[i];
}

std::vector<Comparison> internal::compared(const std::vector<LearningCurve>& curves, size_t baseline,
                                           double error) {
  std::vector<Comparison> out;
  const Vector base = curves[baseline].errors.colwise().mean().transpose();
  const double base_labels = labels_to_reach(curves[baseline], error);
  for (const LearningCurve& c : curves) {
    const Vector areas = c.errors.colwise().mean().transpose();
    Comparison o{c.strategy, areas.mean(), labels_to_reach(c, error), 0, c.mean[c.mean.size() - 1], 0, 1};
    o.share = o.labels / base_labels;
    if (areas.size() == base.size()) {
      o.wins = (areas.array() < base.array()).count();
      o.p = paired_p(areas - base);
    }
    out.push_back(o);
  }
  return out;
}

size_t internal::baseline_of(const std::vector<LearningCurve>& curves) {
  for (size_t i = 0; i < curves.size(); ++i)
    if (curves[i].strategy == "random") return i;
  return 0;
}

ErrorGoal internal::error_at_percent(const ReplayData& data, double full, double percent) {
  if (data.kinds > 0) return {1 - percent / 100 * (1 - full), 1};
  const double spread = std::sqrt((data.y.array() - data.y.mean()).square().mean());
  return {spread - percent / 100 * (spread - full), spread};
}

ReplayRisk internal::replay_risk(const std::vector<Trial>& runs, const std::string& strategy, bool classes) {
  ReplayRisk out;
  for (const Trial& run : runs) {
    if (run.strategy != strategy) continue;
    std::vector<SampledLoss> seen;
    for (const Step& s : run.steps)
      if (s.row >= 0) seen.push_back({s.surprise, s.probability, s.open});
    try {
      const Risk one = risk(seen);
      out.naive += one.naive, out.corrected += one.corrected, out.standard_error += one.standard_error;
      ++out.repeats;
    } catch (const Error&) {
      continue;  // too few labels by chance in this one
    }
  }
  const auto averaged = [&](double sum) {
    const double mean = sum / double(out.repeats);
    return classes ? mean : std::sqrt(mean);
  };
  out.naive = averaged(out.naive), out.corrected = averaged(out.corrected);
  out.standard_error /= double(out.repeats);
  if (!classes && out.corrected > 0) out.standard_error /= 2 * out.corrected;  // of a root
  return out;
}

EarlyStops internal::early_stops(const std::vector<Trial>& runs, const std::string& strategy) {
  EarlyStops out;
  for (const Trial& t : runs) {
    if (t.strategy != strategy) continue;
    ++out.repeats;
    if (t.stopped == "budget") continue;
    ++out.stopped;
    out.labels += double(t.steps.back().labels), out.error += t.steps.back().error;
  }
  if (out.stopped) out.labels /= double(out.stopped), out.error /= double(out.stopped);
  return out;
}

}  // namespace covary
