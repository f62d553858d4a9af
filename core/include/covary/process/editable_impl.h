// Definitions of the templates of editable.h: edits.
#pragma once
#include "covary/process/editable.h"
#include "covary/process/process_impl.h"

namespace covary {

namespace internal {
double seconds_now();
/// Throws a usage Error: "remove: there is no measured point 7: 5 are there, numbered from 0".
void check_number(const std::string& verb, const std::string& kind, Index i, Index size);
/// Throws a data Error unless all are finite and at least 0, and a usage Error unless there are n.
void check_variances(const Vector& variances, Index n);
/// Throws a data Error: these points have other columns than those before.
void check_columns(Index before, Index columns);
/// Throws a data Error: "retarget: expected a finite number, found nan".
void check_target(const std::string& verb, double y);
[[noreturn]] void refuse_repeat(Index row);
void check_options(const EditableOptions& options);

template <class X>
Points<X> owned(Batch<X> x) {
  return join(x, slice(x, {0, 0}));
}
/// The points of a, then those of b; either may be none, and then has no columns either.
template <class X>
Points<X> joined(Batch<X> a, Batch<X> b) {
  if (count(a) && count(b)) return join(a, b);
  return owned<X>(count(a) ? a : b);
}
Vector without(const Vector& v, Index i);
}  // namespace internal

template <class X>
EditableProcess<X>::EditableProcess(const Process<X>& process, EditableOptions options)
    : prior_(process.kernel(), process.trend(), process.noise()), mean_(process.trend()), options_(options) {
  internal::check_given(prior_.kernel().parameters());
  internal::check_options(options_);
  options_.threads = internal::threads_or_all(options_.threads);
  if (process.size()) add(process.inputs(), process.observations(), process.noise_variances());
}

template <class X>
typename EditableProcess<X>::Edit EditableProcess<X>::start() const {
  return {internal::seconds_now(), solution_.factor.halves().row(0).norm(), std::make_shared<Lazy>(), now_};
}

template <class X>
void EditableProcess<X>::finish(Edit edit, Index edited) {
  now_ = std::move(edit.next);
  lazy_ = std::move(edit.lazy);
  EditableFactor& f = solution_.factor;
  if (size() && f.halves().row(0).norm() < 1e-3 * edit.size)  // what is carried has the rounding of what went
    f.replace_right(0, now_.y - mean_.known_at(points()));
  if (size() && ++unchecked_ >= options_.check_every) check_drift(edited);
  edits_.seconds += internal::seconds_now() - edit.begin;
}

/// An edit that has happened is not undone here: if the factor cannot be made anew it stays, with what is
/// known of its residual.
template <class X>
void EditableProcess<X>::check_drift(Index edited) {
  unchecked_ = 0;
  const double off = drift(edited);
  edits_.worst_residual = std::max(edits_.worst_residual, off);
  if (off <= options_.tolerance) return;
  try {
    remake(now_);
    ++edits_.rebuilt;
  } catch (const Error&) {
  }
}

template <class X>
double EditableProcess<X>::drift(Index edited) const {
  const Index n = size();
  std::vector<Index> which{std::min(edited, n - 1),
                           (edits_.added + 7 * edits_.removed + edits_.renoised) % n};
  const Vector noise = now_.variances.array() + edits_.jitter;
  const Points<X> some = pick(points(), which);
  Matrix columns = cross(points(), Batch<X>(some));
  for (size_t k = 0; k < which.size(); ++k) columns(which[k], Index(k)) += noise[which[k]];
  return internal::residual(solution_, which, columns, prior_.kernel().diag(points()) + noise,
                            now_.y - mean_.known_at(points()));
}

template <class X>
internal::EditableSolution EditableProcess<X>::solved(const Data& data, double& jitter) const {
  internal::EditableSolution out(solution_.terms());
  const Batch<X> x(data.x), waiting(data.pending_x);
  if (count(x)) {
    const Factor f = factorize(gram<X>(prior_.kernel(), x), data.variances, options_.threads);
    jitter = f.conditioning().jitter;
    out.basis = mean_.basis_at(x);
    Matrix right(count(x), 1 + out.terms());
    right.col(0) = data.y - mean_.known_at(x);
    right.rightCols(out.terms()) = out.basis;
    out.factor = EditableFactor(f, right);
  }
  if (count(waiting))
    out.pend(cross(x, waiting), Matrix(0, count(waiting)), corner(waiting, data.pending_variances, jitter),
             mean_.basis_at(waiting), options_.threads);
  return out;
}

template <class X>
void EditableProcess<X>::remake(const Data& next) {
  double jitter = 0;
  internal::EditableSolution fresh = solved(next, jitter);
  solution_ = std::move(fresh);
  edits_.jitter = jitter;
}

template <class X>
Vector EditableProcess<X>::usual_noise(Index n) const {
  if (!prior_.noise().is_given())
    throw Error(Problem::usage, "the noise of new points is not known (noise: " + prior_.noise().text() +
                                    "): give variances");
  return Vector::Constant(n, prior_.noise().variance);
}

template <class X>
void EditableProcess<X>::check_new(Batch<X> x, const Vector& variances) const {
  internal::check_finite(x, "x");
  internal::check_variances(variances, count(x));
  if (size()) internal::check_columns(internal::dimensions(points()), internal::dimensions(x));
  if (pending()) internal::check_columns(internal::dimensions(pending_points()), internal::dimensions(x));
  check_repeats(x, variances);
}

/// Exact observations: no two at one input.
template <class X>
void EditableProcess<X>::check_repeats(Batch<X> x, const Vector& variances) const {
  const auto exact = [](const Vector& noise) {
    std::vector<Index> rows;
    for (Index i = 0; i < noise.size(); ++i)
      if (noise[i] == 0) rows.push_back(i);
    return rows;
  };
  const std::vector<Index> rows = exact(variances);
  if (rows.empty()) return;
  const Points<X> measured = pick(points(), exact(now_.variances)), fresh = pick(x, rows),
                  waiting = pick(pending_points(), exact(now_.pending_variances)),
                  before = internal::joined<X>(Batch<X>(measured), Batch<X>(waiting));
  const std::vector<Index> first =
      internal::first_alike(Batch<X>(internal::joined<X>(Batch<X>(before), Batch<X>(fresh))));
  const size_t old = first.size() - rows.size();
  for (size_t i = 0; i < rows.size(); ++i)
    if (first[old + i] != Index(old + i)) internal::refuse_repeat(rows[i]);
}

/// A trend's basis is made for the points it first meets.
template <class X>
void EditableProcess<X>::settle_trend(Batch<X> x) {
  if (size() + pending()) return;
  mean_ = prior_.trend().centered_on(x);
  solution_ = internal::EditableSolution(mean_.basis_at(x).cols());
  edits_.jitter = 0;
}

template <class X>
Matrix EditableProcess<X>::cross(Batch<X> a, Batch<X> b) const {
  if (count(b) == 0) return Matrix(count(a), 0);
  const Prepared<X> pa = prior_.kernel().prepare(a), pb = prior_.kernel().prepare(b);
  return internal::tall_block(
      count(a), [&](Range r) { return slice(pa, r).cross(pb); }, count(b));
}

template <class X>
Matrix EditableProcess<X>::with_all(Batch<X> at) const {
  Matrix k(size() + pending(), count(at));
  k.topRows(size()) = cross(points(), at);
  k.bottomRows(pending()) = cross(pending_points(), at);
  return k;
}

template <class X>
Matrix EditableProcess<X>::corner(Batch<X> x, const Vector& variances, double jitter) const {
  Matrix s = cross(x, x);
  s.diagonal() += variances;
  s.diagonal().array() += jitter;
  return s;
}

template <class X>
Index EditableProcess<X>::add(Batch<X> x, const Vector& y) {
  return add(x, y, usual_noise(count(x)));
}

template <class X>
Index EditableProcess<X>::add(Batch<X> x, const Vector& y, const Vector& variances) {
  internal::check_sizes(count(x), y.size());
  internal::check_finite(y, "y");
  check_new(x, variances);
  const Index first = size();
  settle_trend(x);
  Edit edit = start();
  edit.next.x = internal::joined<X>(points(), x);
  edit.next.y = internal::concat(now_.y, y);
  edit.next.variances = internal::concat(now_.variances, variances);
  if (count(x) > first)  // most of the work is new
    remake(edit.next);
  else if (!solution_.add(cross(points(), x), corner(x, variances, edits_.jitter), y - mean_.known_at(x),
                          mean_.basis_at(x), cross(x, pending_points()), options_.threads)) {
    remake(edit.next);
    ++edits_.rebuilt;
  }
  edits_.added += y.size();
  finish(std::move(edit), first);
  return first;
}

template <class X>
void EditableProcess<X>::remove(Index i) {
  internal::check_number("remove", "measured", i, size());
  Edit edit = start();
  edit.next.x = pick(points(), internal::all_but(size(), i));
  edit.next.y = internal::without(now_.y, i);
  edit.next.variances = internal::without(now_.variances, i);
  solution_.remove(i);
  ++edits_.removed;
  finish(std::move(edit), i);
}

template <class X>
void EditableProcess<X>::retarget(Index i, double y) {
  internal::check_number("retarget", "measured", i, size());
  internal::check_target("retarget", y);
  Edit edit = start();
  edit.next.y[i] = y;
  solution_.factor.add_to_right(i, 0, y - now_.y[i]);
  ++edits_.retargeted;
  finish(std::move(edit), i);
}

template <class X>
void EditableProcess<X>::renoise(Index i, double variance) {
  internal::check_number("renoise", "measured", i, size());
  internal::check_variances(Vector::Constant(1, variance), 1);
  if (now_.variances[i] > 0) check_repeats(slice(points(), {i, 1}), Vector::Constant(1, variance));
  Edit edit = start();
  edit.next.variances[i] = variance;
  if (!solution_.factor.add_to_diagonal(i, variance - now_.variances[i])) {
    remake(edit.next);
    ++edits_.rebuilt;
  }
  ++edits_.renoised;
  finish(std::move(edit), i);
}

template <class X>
Index EditableProcess<X>::pend(Batch<X> x) {
  return pend(x, usual_noise(count(x)));
}

template <class X>
Index EditableProcess<X>::pend(Batch<X> x, const Vector& variances) {
  check_new(x, variances);
  const Index first = pending();
  settle_trend(x);
  Edit edit = start();
  edit.next.pending_x = internal::joined<X>(pending_points(), x);
  edit.next.pending_variances = internal::concat(now_.pending_variances, variances);
  solution_.pend(cross(points(), x), cross(pending_points(), x), corner(x, variances, edits_.jitter),
                 mean_.basis_at(x), options_.threads);
  try {
    covary::internal::spread(solution_);  // throws if they nearly coincide
  } catch (...) {
    while (solution_.pending() > first) solution_.withdraw(first);
    throw;
  }
  edits_.pended += count(x);
  finish(std::move(edit), size());
  return first;
}

template <class X>
void EditableProcess<X>::tell(Index j, double y) {
  internal::check_number("tell", "pending", j, pending());
  internal::check_target("tell", y);
  const Points<X> x = internal::owned<X>(slice(pending_points(), {j, 1}));
  Edit edit = start();
  edit.next.x = internal::joined<X>(points(), Batch<X>(x));
  edit.next.y = internal::concat(now_.y, Vector::Constant(1, y));
  edit.next.variances = internal::concat(now_.variances, now_.pending_variances.segment(j, 1));
  edit.next.pending_x = pick(pending_points(), internal::all_but(pending(), j));
  edit.next.pending_variances = internal::without(now_.pending_variances, j);
  if (!solution_.tell(j, y - mean_.known_at(Batch<X>(x))[0])) {
    remake(edit.next);
    ++edits_.rebuilt;
  }
  ++edits_.told;
  finish(std::move(edit), size());
}

template <class X>
void EditableProcess<X>::withdraw(Index j) {
  internal::check_number("withdraw", "pending", j, pending());
  Edit edit = start();
  edit.next.pending_x = pick(pending_points(), internal::all_but(pending(), j));
  edit.next.pending_variances = internal::without(now_.pending_variances, j);
  solution_.withdraw(j);
  ++edits_.withdrawn;
  finish(std::move(edit), size());
}

}  // namespace covary
