#include "covary/learn/auto_inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "covary/base/runtime.h"
#include "covary/learn/summary_words.h"

namespace covary {
using namespace internal;
namespace {

constexpr double least_gain = 0.01;  // nats a row

bool taken(const InferenceEstimate& e) { return e.refusal.empty(); }
bool fits_memory(const InferenceEstimate& e, const FitLimits& l) { return taken(e) && e.bytes <= l.bytes; }
bool fits(const InferenceEstimate& e, const FitLimits& l) {
  return fits_memory(e, l) && e.seconds <= l.seconds;
}
bool linear_time(const InferenceEstimate& e) {
  return !e.approximate && e.inference.starts_with("state_space");
}

/// Those for which `right` holds, in order.
template <class F>
std::vector<size_t> places(const std::vector<InferenceEstimate>& all, const F& right) {
  std::vector<size_t> out;
  for (size_t i = 0; i < all.size(); ++i)
    if (right(all[i])) out.push_back(i);
  return out;
}

/// The first, or another that predicts better by more than `least_gain`.
size_t best_predicting(const std::vector<InferenceEstimate>& all, const std::vector<size_t>& which) {
  size_t best = which[0];
  for (const size_t i : which)
    if (all[i].held_out > all[best].held_out + (best == which[0] ? least_gain : 0)) best = i;
  return best;
}

[[noreturn]] void nothing_fits(const std::vector<InferenceEstimate>& all, const FitLimits& limits) {
  const InferenceEstimate* least = nullptr;
  for (const InferenceEstimate& e : all)
    if (taken(e) && (!least || e.bytes < least->bytes)) least = &e;
  if (!least) throw Error(Problem::usage, all.empty() ? "there is no inference" : all.front().refusal);
  throw Error(Problem::limit, fmt::format("inference auto: {} needs the least memory, {}, and {} are free",
                                          least->inference, in_bytes(least->bytes), in_bytes(limits.bytes)));
}

std::string cost_words(const InferenceEstimate& e) {
  if (!taken(e)) return fmt::format("{} does not apply ({})", e.inference, e.refusal);
  return fmt::format(
      "{} about {} and {}{}", e.inference, in_seconds(e.seconds), in_bytes(e.bytes),
      std::isnan(e.held_out) ? "" : fmt::format(" (log density per held-out row {:.3f})", e.held_out));
}

}  // namespace

FitLimits internal::limits_of(const FitOptions& options) {
  return {std::isfinite(options.max_seconds) ? options.max_seconds : default_fit_seconds,
          double(memory_available())};
}

size_t internal::choose_inference(const std::vector<InferenceEstimate>& all, const FitLimits& limits) {
  for (const auto& right : std::vector<std::function<bool(const InferenceEstimate&)>>{
           [&](const InferenceEstimate& e) { return !e.approximate && fits(e, limits); },
           [&](const InferenceEstimate& e) { return linear_time(e) && fits_memory(e, limits); },
           [&](const InferenceEstimate& e) { return e.approximate && fits(e, limits); }})
    if (const std::vector<size_t> which = places(all, right); !which.empty())
      return best_predicting(all, which);
  const std::vector<size_t> rest =
      places(all, [&](const InferenceEstimate& e) { return fits_memory(e, limits); });
  if (rest.empty()) nothing_fits(all, limits);
  return *std::min_element(rest.begin(), rest.end(),
                           [&](size_t a, size_t b) { return all[a].seconds < all[b].seconds; });
}

std::vector<size_t> internal::to_compare(const std::vector<InferenceEstimate>& all, const FitLimits& limits) {
  const bool exactly =
      !places(all, [&](const InferenceEstimate& e) {
         return !e.approximate && (linear_time(e) ? fits_memory(e, limits) : fits(e, limits));
       }).empty();
  if (exactly) return {};
  return places(all, [&](const InferenceEstimate& e) { return e.approximate && fits(e, limits); });
}

std::string internal::choice_note(const std::vector<InferenceEstimate>& all, const FitLimits& limits) {
  std::string chosen, others;
  for (const InferenceEstimate& e : all)
    if (e.chosen)
      chosen = cost_words(e);
    else
      others += "; " + cost_words(e);
  return fmt::format("inference auto: {}{}; exact() is used up to {} within the free memory", chosen, others,
                     in_seconds(limits.seconds));
}

std::vector<Index> internal::some_distinct(const std::vector<Index>& alike, Index size, std::uint64_t seed) {
  std::vector<Index> first;
  for (size_t i = 0; i < alike.size(); ++i)
    if (alike[i] == Index(i)) first.push_back(Index(i));
  std::vector<Index> out;
  for (const Index i : Random(seed).subset(std::ssize(first), size))
    out.push_back(first[static_cast<size_t>(i)]);
  return out;
}

Divided internal::divided(const std::vector<Index>& all, Index tested, std::uint64_t seed) {
  Divided out;
  const std::vector<Index> test = Random(seed).subset(std::ssize(all), std::min(tested, std::ssize(all) / 2));
  auto next = test.begin();
  for (Index i = 0; i < std::ssize(all); ++i) {
    const bool held = next != test.end() && *next == i;
    (held ? out.test : out.train).push_back(all[static_cast<size_t>(i)]);
    if (held) ++next;
  }
  return out;
}

double internal::calibrated_log_density(const Marginals& f, const Vector& noise, const Vector& y) {
  const Eigen::ArrayXd v = f.variance + noise;
  const double misfit = ((y - f.mean).array().square() / v).mean();
  return -0.5 * (std::log(2 * std::numbers::pi) + v.log().mean() + std::log(misfit) + 1);
}

FitOptions internal::of_comparison(const FitOptions& options) {
  FitOptions quick = options;
  quick.inference = Exact().text();
  quick.starts = std::min(options.starts, 4), quick.polish = 1;
  quick.max_seconds = 0.2 * limits_of(options).seconds;
  if (options.progress)
    quick.progress = [tell = options.progress](Progress at) {
      at.phase = "comparing approximations", at.share = 0;
      return tell(at);
    };
  return quick;
}

}  // namespace covary
