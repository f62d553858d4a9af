// The common part of the kernels of sequences of one length: all but the difference of two letters.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/base/error.h"
#include "kernels/distance.h"

namespace covary::internal {

/// A sequence in the numbers of its letters.
struct AlignedText {
  std::vector<unsigned char> codes;
};

/// k(x, z) = exp(-sum_p d(x_p, z_p)/lengthscale_p). `Letters` has
///   name, settings()    of the expression
///   codes(text)         the number of each letter; throws a data Error for one that is not known
///   difference(x, z)    of two letters: 0 if they are the same
///   differences(x, z)   the sum over all positions
template <class Letters>
struct Aligned {
  using Texts = std::span<const std::string>;
  using Sequences = std::span<const AlignedText>;
  static constexpr Index most_positions = 20;  // that have a length-scale each without being asked
  Letters letters;
  Lengthscale lengthscale;

  std::vector<AlignedText> prepare(Texts x) const {
    std::vector<AlignedText> all;
    all.reserve(x.size());
    for (const std::string& text : x) {
      check_lengths(x[0].size(), text.size());
      all.push_back({letters.codes(text)});
    }
    return all;
  }
  Matrix cross(Sequences a, Sequences b) const {
    Matrix s = scaled_differences(a, b);
    s = -s;
    exp_in_place(s);
    return s;
  }
  static Vector diag(Sequences a) { return Vector::Ones(std::ssize(a)); }
  // dk/dlog l_p = k d(x_p, z_p)/l_p; with one length-scale the sum of these
  Vector pullback(Sequences a, Sequences b, const Matrix& w) const {
    const Matrix s = scaled_differences(a, b), kw = cross(a, b).cwiseProduct(w);
    if (lengthscale.values.size() == 1) return Vector::Constant(1, kw.cwiseProduct(s).sum());
    Vector g = Vector::Zero(lengthscale.values.size());
    for (size_t j = 0; j < b.size(); ++j)
      for (size_t i = 0; i < a.size(); ++i)
        for (Index p = 0; p < g.size(); ++p) g[p] += kw(Index(i), Index(j)) * difference(a[i], b[j], p);
    return g.cwiseQuotient(lengthscale.values);
  }
  Matrix cross(Texts a, Texts b) const { return cross(Sequences(prepare(a)), Sequences(prepare(b))); }
  Vector diag(Texts a) const { return diag(Sequences(prepare(a))); }
  Vector pullback(Texts a, Texts b, const Matrix& w) const {
    return pullback(Sequences(prepare(a)), Sequences(prepare(b)), w);
  }
  Vector theta() const { return lengthscale.theta(); }
  Aligned with(const Vector& t) const { return {letters, {t.array().exp()}}; }
  Expression node() const { return call_node(Letters::name, parameters(), letters.settings()); }
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all = lengthscale.parameters();
    for (Parameter& p : all) p.role = Role::shape, p.column = -1;  // in differences, not in units of an input
    return all;
  }
  Aligned sized(Texts x) const {
    if (lengthscale.values.size() > 0) return *this;
    const Index positions = x.empty() ? 0 : std::ssize(x[0]);
    const bool each = positions > 0 && positions <= most_positions;
    return {letters, {Vector::Constant(each ? positions : 1, std::numeric_limits<double>::quiet_NaN())}};
  }
  /// The mean difference of neighbors in the list.
  Vector start(Texts x, double) const {
    constexpr size_t most = 1000;
    const std::vector<AlignedText> some = prepare(x.first(std::min(most, x.size())));
    double sum = 0;
    for (size_t i = 0; i < some.size(); ++i)
      sum += letters.differences(some[i].codes, some[(i + 1) % some.size()].codes);
    return Vector::Constant(theta().size(), sum > 0 ? std::log(sum / double(some.size())) : 0);
  }

 private:
  static void check_lengths(size_t x, size_t z) {
    if (x == z) return;
    throw Error(Problem::data,
                fmt::format("{}: sequences must be aligned, all of one length, found lengths {} and {}",
                            Letters::name, x, z));
  }
  double difference(const AlignedText& x, const AlignedText& z, Index p) const {
    return letters.difference(x.codes[static_cast<size_t>(p)], z.codes[static_cast<size_t>(p)]);
  }
  /// n x m: sum_p d(a_ip, b_jp)/l_p, position by position. O(n m positions).
  Matrix scaled_differences(Sequences a, Sequences b) const {
    check_given(parameters());
    Matrix s(std::ssize(a), std::ssize(b));
    if (s.size() == 0) return s;
    check_lengths(a[0].codes.size(), b[0].codes.size());
    const Index positions = std::ssize(a[0].codes), given = lengthscale.values.size();
    if (given != 1 && given != positions)
      throw Error(Problem::usage, fmt::format("{}: {} length-scales were given for sequences of {} positions",
                                              Letters::name, given, positions));
    for (size_t j = 0; j < b.size(); ++j)
      for (size_t i = 0; i < a.size(); ++i) {
        double sum = 0;
        if (given == 1)
          sum = letters.differences(a[i].codes, b[j].codes) / lengthscale.values[0];
        else
          for (Index p = 0; p < positions; ++p) sum += difference(a[i], b[j], p) / lengthscale.values[p];
        s(Index(i), Index(j)) = sum;
      }
    return s;
  }
};

}  // namespace covary::internal
