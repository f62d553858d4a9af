#include "covary/select/region.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/constants.h"
#include "covary/base/parallel.h"

namespace covary {
using namespace internal;
namespace {

constexpr double same_point = 1e-14;  // squared distance, of the largest variance

/// Features from their middle, and a constant of their size: separators have an offset.
Matrix with_constant(Matrix x) {
  x.rowwise() -= x.colwise().mean().eval();
  const double size = x.size() ? std::sqrt(x.rowwise().squaredNorm().mean()) : 0;
  x.conservativeResize(Eigen::NoChange, x.cols() + 1);
  x.col(x.cols() - 1).setConstant(size > 0 ? size : 1);
  return x;
}

}  // namespace

RegionOptions internal::region_options(const Arguments& a) {
  const double margin = a.number("margin");
  if (margin < 0 || std::isinf(margin))
    throw Error(
        Problem::usage,
        fmt::format("strategy: disagreement: margin must be a number of 0 or more, found {}", margin));
  return {std::isnan(margin) ? 0 : margin, a.integer("offset", 1, 0, 1) == 1};
}

DisagreementRegion::DisagreementRegion(const Covariances& k, RegionOptions options, int threads)
    : options_(options),
      threads_(threads),
      machines_(SvmOptions{.threads = 1}),
      nearest_(Vector::Constant(k.size, infinity)),
      nearest_label_(static_cast<size_t>(k.size), -1) {
  static_cast<Covariances&>(k_) = k;
  if (!k_.among)
    k_.among = [k](const std::vector<Index>& r, const std::vector<Index>& c) {
      return internal::among(k, r, c);
    };
  if (options.margin > 0) return;
  if (std::optional<ExplicitFeatures> f = explicit_features(k, most_rank, options.offset, threads)) {
    features_ = options.offset ? with_constant(std::move(f->x)) : std::move(f->x);
    explicit_ = true;
  }
}

void DisagreementRegion::tell(const std::vector<Index>& candidates, const std::vector<Index>& classes,
                              Index kinds) {
  const Index from = std::ssize(candidates_);
  if (std::ssize(candidates) == from) return;
  candidates_ = candidates, classes_ = classes;
  const bool begin = sides_.empty();
  sides_.resize(static_cast<size_t>(kinds == 2 ? 1 : kinds));
  follow_distances(from);
  if (!explicit_) train(kinds);
  for (size_t j = 0; j < sides_.size(); ++j) {
    Side& s = sides_[j];
    const Index own = kinds == 2 ? 1 : Index(j);
    if (begin) s.agreed = Eigen::VectorXi::Zero(k_.size);
    const Index with = std::count(classes_.begin(), classes_.end(), own);
    s.both = with > 0 && with < std::ssize(classes_);
    if (explicit_)
      tell_space(s, own, from);
    else if (options_.margin > 0)
      settle_by_margin(s, own, Index(j));
    else
      settle_by_repeats(s, own);
  }
}

void DisagreementRegion::tell_space(Side& s, Index own, Index from) {
  if (!s.space) s.space.emplace(features_.cols());
  for (Index i = from; i < std::ssize(candidates_); ++i) {
    const auto at = static_cast<size_t>(i);
    try {
      s.space->tell(features_.row(candidates_[at]).transpose(), classes_[at] == own ? 1 : -1);
    } catch (const EmptyVersionSpace& e) {
      std::vector<Index> which;
      for (const Index l : e.labels()) which.push_back(candidates_[static_cast<size_t>(l)]);
      throw contradicting("candidates", which);
    }
  }
  std::vector<Index> open;
  for (Index i = 0; i < s.agreed.size(); ++i)
    if (s.agreed[i] == 0) open.push_back(i);
  const Eigen::VectorXi now = s.space->agreed(Matrix(features_(open, Eigen::all)));
  s.agreed(open) = now;
}

/// m kernel values for each new label.
void DisagreementRegion::follow_distances(Index from) {
  for (Index l = from; l < std::ssize(candidates_); ++l) {
    const Index z = candidates_[static_cast<size_t>(l)];
    for_runs(k_.size, threads_, [&](Range r) {
      const Vector k = k_.block(r, {z}).col(0);
      for (Index i = 0; i < r.count; ++i) {
        const double off = std::max(0.0, k_.diagonal[r.first + i] + k_.diagonal[z] - 2 * k[i]);
        if (off >= nearest_[r.first + i]) continue;
        nearest_[r.first + i] = off, nearest_label_[static_cast<size_t>(r.first + i)] = l;
      }
    });
    const auto same = [&](Index other) {
      const Index o = candidates_[static_cast<size_t>(other)];
      const double off = k_.diagonal[o] + k_.diagonal[z] - 2 * among(k_, {o}, {z})(0, 0);
      return off <= same_point * k_.diagonal.maxCoeff() &&
             classes_[static_cast<size_t>(other)] != classes_[static_cast<size_t>(l)];
    };
    for (Index other = 0; !explicit_ && other < l; ++other)
      if (same(other)) throw contradicting("candidates", {candidates_[static_cast<size_t>(other)], z});
  }
}

void DisagreementRegion::train(Index kinds) {
  machines_.train_hard(k_, candidates_, classes_, kinds);
  decision_ = Matrix::Zero(k_.size, kinds);
  if (!machines_.any()) return;
  for_runs(k_.size, threads_, [&](Range r) {
    decision_.middleRows(r.first, r.count) = machines_.decision(
        r.count, [&](const std::vector<Index>& support) -> Matrix { return k_.block(r, support); });
  });
  std::vector<Index> wrong;
  const std::vector<Index> found = winners(decision_(candidates_, Eigen::all));
  for (size_t i = 0; i < found.size(); ++i)
    if (found[i] != classes_[i]) wrong.push_back(candidates_[i]);
  if (!wrong.empty()) throw contradicting("candidates", wrong);
}

void DisagreementRegion::settle_by_repeats(Side& s, Index own) {
  const double least = same_point * k_.diagonal.maxCoeff();
  for (Index i = 0; i < k_.size; ++i)
    if (nearest_[i] <= least)
      s.agreed[i] = classes_[static_cast<size_t>(nearest_label_[static_cast<size_t>(i)])] == own ? 1 : -1;
}

/// Bounds before machines are trained: a separator shifted by c keeps (1 - |c|) of its margin, so x with |f| < 1 can
/// have either label at a margin of (1 - |f|)/2 of the widest; and no separator of x from a label at distance d has a
/// margin of more than d/2.
void DisagreementRegion::settle_by_margin(Side& s, Index own, Index which) {
  const std::optional<Separator>& middle = machines_.machine(which);
  Vector y(std::ssize(classes_) + 1);
  for (Index i = 0; i < std::ssize(classes_); ++i) y[i] = classes_[static_cast<size_t>(i)] == own ? 1 : -1;
  if (middle && middle->margin < options_.margin)
    throw EmptyVersionSpace(
        fmt::format(
            "the version space is empty: the widest margin between the labels is {:.3g}, below the required "
            "margin of {:g}",
            middle->margin, options_.margin),
        {});
  parallel_for(k_.size, threads_, [&](Index x) {
    if (s.agreed[x] != 0) return;
    const double f = middle ? decision_(x, sides_.size() == 1 ? 1 : which) : 2 * y[0];
    const int side = f > 0 ? 1 : -1;
    const double near = y[nearest_label_[static_cast<size_t>(x)]], reach = std::sqrt(nearest_[x]) / 2;
    const auto allows = [&](int label) {
      if (label == side && std::abs(f) >= 1) return true;
      if (near != label && reach < options_.margin) return false;
      if (middle && std::abs(f) < 1 && middle->margin * (1 - std::abs(f)) / 2 >= options_.margin) return true;
      std::vector<Index> all = candidates_;
      all.push_back(x);
      Vector labels = y;
      labels[labels.size() - 1] = label;
      if (labels.maxCoeff() == labels.minCoeff()) return true;
      const KernelBlock block = [&](const std::vector<Index>& r, const std::vector<Index>& c) -> Matrix {
        std::vector<Index> rows, columns;
        for (const Index i : r) rows.push_back(all[static_cast<size_t>(i)]);
        for (const Index j : c) columns.push_back(all[static_cast<size_t>(j)]);
        return among(k_, rows, columns);
      };
      try {
        return separate(block, labels, {.penalty = infinity, .threads = 1}, middle ? &*middle : nullptr)
                   .margin >= options_.margin;
      } catch (const Error& e) {
        if (e.problem() != Problem::data) throw;
        return false;
      }
    };
    if (!allows(-side)) s.agreed[x] = side;
  });
}

bool DisagreementRegion::contains(Index i) const {
  return sides_.empty() ||
         std::any_of(sides_.begin(), sides_.end(), [&](const Side& s) { return s.agreed[i] == 0; });
}

Index DisagreementRegion::size() const {
  Index out = 0;
  for (Index i = 0; i < k_.size; ++i) out += contains(i);
  return out;
}

/// m: 1/(1 + |f|), f in margins.
Vector DisagreementRegion::closeness(const Side& s) const {
  if (s.space) {
    const Vector norm = features_.rowwise().norm().cwiseMax(1e-300);
    return (1 + (features_ * s.space->middle()).array().abs() / (norm.array() * s.space->margin())).inverse();
  }
  const Index j = sides_.size() == 1 ? 1 : &s - sides_.data();
  return (1 + decision_.col(j).array().abs()).inverse();
}

/// On a line: 1 for the candidate that has as many of the region on either side, less and less away from it.
Vector DisagreementRegion::by_rank(const Side& s) const {
  std::vector<double> at;
  for (Index i = 0; i < k_.size; ++i)
    if (s.agreed[i] == 0) at.push_back(features_(i, 0));
  std::sort(at.begin(), at.end());
  Vector out = Vector::Zero(k_.size);
  const auto c = double(at.size());
  for (Index i = 0; i < k_.size; ++i) {
    if (s.agreed[i] != 0) continue;
    const auto [low, high] = std::equal_range(at.begin(), at.end(), features_(i, 0));
    const double rank = 0.5 * double((low - at.begin()) + (high - at.begin() - 1));
    out[i] = 1 - std::abs(2 * rank - (c - 1)) / (c + 1);
  }
  return out;
}

Vector DisagreementRegion::scores() const {
  if (candidates_.empty()) return Vector::Ones(k_.size);
  const double farthest = std::max(nearest_.maxCoeff(), 1e-300);
  const bool any = std::any_of(sides_.begin(), sides_.end(), [](const Side& s) { return s.both; });
  Vector out = Vector::Zero(k_.size);
  for (const Side& s : sides_) {
    Vector own;
    if (!s.both)
      own = (any ? 0.5 / farthest : 1.0) * nearest_;
    else if (explicit_ && options_.offset && features_.cols() == 2)
      own = by_rank(s);
    else
      own = closeness(s);
    for (Index i = 0; i < out.size(); ++i)
      if (s.agreed[i] == 0) out[i] = std::max(out[i], own[i]);
  }
  return out;
}

std::string DisagreementRegion::reason(Index i) const {
  if (candidates_.empty()) return "no label so far: any candidate";
  if (!contains(i))
    return "all separators that agree with the labels agree on it too: nothing is left to ask for";
  const Index left = size();
  const std::string others =
      fmt::format("one of {} {} on which separators that agree with all labels disagree", left,
                  left == 1 ? "candidate" : "candidates");
  if (!std::any_of(sides_.begin(), sides_.end(), [](const Side& s) { return s.both; }))
    return others + ", the farthest from the labels, which are of one class";
  return others + ", the nearest to the middle of these separators";
}

}  // namespace covary
