#include "covary/select/version_space.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "covary/base/random.h"

namespace covary {
using namespace internal;
namespace {

constexpr double nothing_left = 1e-11;  // of a unit vector: there is nothing but rounding
constexpr double in_span = 1e-9;
constexpr size_t most_certificates = 64;  // of each kind

/// Least squares on some columns: p of A (d x n) for b.
Vector solved_on(const Matrix& a, const std::vector<Index>& columns, const Vector& b) {
  const Matrix own = a(Eigen::all, columns);
  return own.householderQr().solve(b);
}

/// x moves towards `to` until the first of its numbers is 0; those that are leave. False once nothing stops it.
bool step_to(std::vector<Index>& support, Vector& x, const Vector& to) {
  double length = 1;
  Index stop = -1;
  for (Index p = 0; p < x.size(); ++p)
    if (to[p] <= 0 && x[p] / (x[p] - to[p]) < length) length = x[p] / (x[p] - to[p]), stop = p;
  if (stop < 0 && (to.array() > 0).all()) return x = to, false;
  x += length * (to - x);
  std::vector<Index> kept, places;
  for (Index p = 0; p < x.size(); ++p)
    if (p != stop && x[p] > 0) kept.push_back(support[static_cast<size_t>(p)]), places.push_back(p);
  x = Vector(x(places)), support = std::move(kept);
  return true;
}

}  // namespace

/// Lawson and Hanson's active set: the column with the steepest gradient A_j'r enters, and leaves what turns negative.
NonNegative internal::non_negative_least_squares(const Matrix& a, const Vector& b) {
  NonNegative out{{}, b};
  Vector x(0);
  std::vector<char> barred(static_cast<size_t>(a.cols()), 0);  // entered and gained nothing, to rounding
  for (Index step = 0; step < 10 * a.cols() + 100; ++step) {
    const double size = out.residual.norm();
    if (size <= nothing_left * b.norm() || std::ssize(out.support) >= a.rows()) break;
    Vector gradient = a.transpose() * out.residual;
    for (Index j = 0; j < gradient.size(); ++j)
      if (barred[static_cast<size_t>(j)]) gradient[j] = 0;
    for (const Index j : out.support) gradient[j] = 0;
    Index entering = 0;
    if (!(gradient.maxCoeff(&entering) > 1e-15 + 1e-9 * size * size)) break;
    out.support.push_back(entering);
    x.conservativeResize(x.size() + 1);
    x[x.size() - 1] = 0;
    while (!out.support.empty() && step_to(out.support, x, solved_on(a, out.support, b)))
      if (std::find(out.support.begin(), out.support.end(), entering) == out.support.end()) break;
    const Vector residual =
        b - (out.support.empty() ? Vector(Vector::Zero(b.size())) : Vector(a(Eigen::all, out.support) * x));
    const bool gained = residual.norm() < size;
    out.residual = residual;
    if (gained)
      std::fill(barred.begin(), barred.end(), 0);
    else
      barred[static_cast<size_t>(entering)] = 1;
  }
  return out;
}

std::string internal::counted_from_one(const std::vector<Index>& numbers) {
  std::string out;
  for (size_t i = 0; i < numbers.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : i + 1 < numbers.size() ? ", " : " and ", numbers[i] + 1);
  return out;
}

EmptyVersionSpace internal::contradicting(const std::string& things, const std::vector<Index>& which) {
  return {
      fmt::format(
          "the labels of {} {} (counted from 1) contradict every separator of this kernel: the version space "
          "is empty. Where labels may be wrong, use the agnostic form, strategy iwal in a stream, or "
          "svm-margin with a finite penalty",
          things, counted_from_one(which)),
      which};
}

VersionSpace::VersionSpace(Index features)
    : z_(features, 0),
      span_(features, 0),
      middle_(Vector::Zero(features)),
      outside_(Vector::Zero(features)) {}

void VersionSpace::tell(const Eigen::Ref<const Vector>& x, int label) {
  const double norm = x.norm();
  if (x.size() != z_.rows())
    throw Error(Problem::usage,
                fmt::format("version space: expected {} features, found {}", z_.rows(), x.size()));
  if (label != 1 && label != -1)
    throw Error(Problem::usage, fmt::format("version space: expected a label of 1 or -1, found {}", label));
  if (!(norm > 0) || !std::isfinite(norm))
    throw Error(Problem::data, "version space: expected a point that is finite and not the origin");
  const Matrix z_before = z_;
  z_.conservativeResize(Eigen::NoChange, labels_ + 1);
  z_.col(labels_) = label / norm * x;
  const Vector own = z_.col(labels_);
  if (labels_ == 0 || middle_.dot(own) < margin_) {
    try {
      settle_middle();
    } catch (...) {
      z_ = z_before;
      throw;
    }
  }
  ++labels_;
  std::erase_if(others_, [&](const Vector& v) { return !(v.dot(own) > 0); });
  Vector left = own - span_ * (span_.transpose() * own);
  left -= span_ * (span_.transpose() * left);
  if (left.norm() > in_span) {
    span_.conservativeResize(Eigen::NoChange, span_.cols() + 1);
    span_.col(span_.cols() - 1) = left.normalized();
  }
  outside_.setZero();
  if (span_.cols() < span_.rows()) {
    outside_ = Random(7).normal(outside_.size(), 1);
    outside_ -= span_ * (span_.transpose() * outside_);
  }
}

/// The point of the convex hull of the z_i that is nearest to 0, from min |(Z; 1') a - (0; 1)| over a >= 0: with residual
/// (r, t) it is -r/(1 - t), and -r'z_i >= t = |(r, t)|^2 for all i.
void VersionSpace::settle_middle() {
  Matrix a(z_.rows() + 1, z_.cols());
  a << z_, Eigen::RowVectorXd::Ones(z_.cols());
  Vector b = Vector::Zero(a.rows());
  b[a.rows() - 1] = 1;
  const NonNegative found = non_negative_least_squares(a, b);
  ++solved_;
  const Vector w = -found.residual.head(z_.rows());
  const double norm = w.norm(), least = norm > nothing_left ? (z_.transpose() * w).minCoeff() / norm : 0;
  if (!(least > 0)) {
    std::vector<Index> labels = found.support;
    std::sort(labels.begin(), labels.end());
    throw EmptyVersionSpace(fmt::format("labels {} contradict every separator: the version space is empty",
                                        counted_from_one(labels)),
                            labels);
  }
  middle_ = w / norm, margin_ = least;
}

/// -r keeps every label and has x on the other side; a little of the middle makes it a strict member.
VersionSpace::Decision VersionSpace::decide(const Vector& unit, double own) {
  const int side = own > 0 ? 1 : -1;
  const NonNegative found = non_negative_least_squares(z_, side * unit);
  ++solved_;
  const double left = found.residual.squaredNorm();
  if (std::sqrt(left) <= nothing_left) {
    if (std::ssize(found.support) < z_.rows()) return {side, {}, {}};
    return {side, {}, z_(Eigen::all, found.support).inverse()};
  }
  Vector v = -found.residual + left / (2 * std::abs(own)) * middle_;
  if ((z_.transpose() * v).minCoeff() > 0 && side * v.dot(unit) < 0) return {0, std::move(v), {}};
  return {};
}

void VersionSpace::keep(const Decision& d) {
  const auto add = [](auto& all, const auto& one) {
    if (one.size() == 0) return;
    if (all.size() >= most_certificates) all.erase(all.begin());
    all.push_back(one);
  };
  add(others_, d.member), add(cones_, d.cone);
}

/// The points that are not decided so far: all members that were looked at agree with the middle.
struct VersionSpace::Undecided {
  Rows x;
  const Vector& own;  // m: middle'x
  Eigen::VectorXi& out;
  std::vector<Index> open = {};

  /// Those on the other side of another member are in the region: 2 d flops each.
  void by_member(const Vector& v) {
    if (open.empty() || v.size() == 0) return;
    const Vector f = x(open, Eigen::all) * v;
    std::vector<Index> rest;
    for (size_t k = 0; k < open.size(); ++k)
      if ((f[Index(k)] > 0) == (own[open[k]] > 0)) rest.push_back(open[k]);
    open = std::move(rest);
  }
  /// Those in a cone of labels are not: 2 d^2 flops each.
  void by_cone(const Matrix& inverse) {
    if (open.empty() || inverse.size() == 0) return;
    const Matrix c = x(open, Eigen::all) * inverse.transpose();
    std::vector<Index> rest;
    for (size_t k = 0; k < open.size(); ++k) {
      const int side = own[open[k]] > 0 ? 1 : -1;
      if ((side * c.row(Index(k))).minCoeff() >= 0)
        out[open[k]] = side;
      else
        rest.push_back(open[k]);
    }
    open = std::move(rest);
  }
};

Eigen::VectorXi VersionSpace::agreed(Rows x) {
  if (x.cols() != z_.rows())
    throw Error(Problem::usage,
                fmt::format("version space: expected {} features, found {}", z_.rows(), x.cols()));
  Eigen::VectorXi out = Eigen::VectorXi::Zero(x.rows());
  if (labels_ == 0) return out;
  const Vector norm = x.rowwise().norm(), own = x * middle_, outside = x * outside_;
  Undecided u{x, own, out};
  for (Index i = 0; i < x.rows();
       ++i)  // the others: the middle can turn past them, or no label knows their direction
    if (norm[i] > 0 && std::abs(own[i]) >= (1 - 1e-9) * margin_ * norm[i] &&
        !(std::abs(outside[i]) > in_span * norm[i]))
      u.open.push_back(i);
  for (const Vector& v : others_) u.by_member(v);
  for (const Matrix& inverse : cones_) u.by_cone(inverse);
  while (!u.open.empty()) {
    const Index i = u.open.back();
    u.open.pop_back();
    const Decision d = decide(x.row(i).transpose() / norm[i], own[i] / norm[i]);
    out[i] = d.side;
    keep(d);
    u.by_member(d.member), u.by_cone(d.cone);
  }
  return out;
}

}  // namespace covary
