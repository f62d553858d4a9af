// Subsequences with gaps, weighted by their span.
#include <fmt/format.h>

#include <cmath>

#include "covary/kernels/registry.h"
#include "covary/kernels/strings/strings.h"
#include "kernels/strings/embeddings.h"

namespace covary {
using namespace internal;
namespace {

/// A text, its S(x, x) and the derivative of its logarithm in decay.
struct EmbeddedText {
  const std::string* text;
  double own, log_slope;
};

struct Subsequence {
  using Texts = std::span<const std::string>;
  using Embedded = std::span<const EmbeddedText>;
  int n;
  double decay;
  bool normalized;

  std::vector<EmbeddedText> prepare(Texts x) const {
    check_given(parameters());
    std::vector<TextPair> own;
    for (const std::string& text : x) own.push_back({&text, &text});
    const Embeddings s = embeddings(own, n, decay, true);
    std::vector<EmbeddedText> all;
    for (size_t i = 0; i < x.size(); ++i) {
      const double value = s.value[Index(i)];
      all.push_back({&x[i], value, value > 0 ? s.slope[Index(i)] / value : 0});
    }
    return all;
  }
  Matrix cross(Embedded a, Embedded b) const {
    const Embeddings s = embeddings(pairs(a, b), n, decay, false);
    Matrix k = s.value.reshaped(std::ssize(a), std::ssize(b));
    scale(a, b, k, 1);
    return k;
  }
  Vector diag(Embedded a) const {
    Vector d = Vector::Ones(std::ssize(a));
    for (size_t i = 0; i < a.size() && !normalized; ++i) d[Index(i)] = size() * a[i].own;
    return d;
  }
  // dk/dlogit decay = decay (1 - decay) dk/ddecay. With S' = dS/ddecay,
  //   normalized: dk = S'/sqrt(S_x S_z) - k (S'_x/S_x + S'_z/S_z)/2
  //   otherwise:  dk = decay^2n (S' + 2 n S/decay)
  Vector pullback(Embedded a, Embedded b, const Matrix& w) const {
    const Embeddings s = embeddings(pairs(a, b), n, decay, true);
    Matrix k = s.value.reshaped(w.rows(), w.cols()), d = s.slope.reshaped(w.rows(), w.cols());
    scale(a, b, k, 0), scale(a, b, d, 0);
    for (Index j = 0; j < d.cols(); ++j)
      for (Index i = 0; i < d.rows(); ++i)
        d(i, j) += k(i, j) * (normalized ? -(at(a, i).log_slope + at(b, j).log_slope) / 2 : 2 * n / decay);
    return Vector::Constant(1, decay * (1 - decay) * w.cwiseProduct(d).sum());
  }
  Matrix cross(Texts a, Texts b) const { return cross(Embedded(prepare(a)), Embedded(prepare(b))); }
  Vector diag(Texts a) const { return diag(Embedded(prepare(a))); }
  Vector pullback(Texts a, Texts b, const Matrix& w) const {
    return pullback(Embedded(prepare(a)), Embedded(prepare(b)), w);
  }
  Vector theta() const { return Vector::Constant(1, to_theta(Scale::logit, decay)); }
  Subsequence with(const Vector& t) const {
    return {n, std::min(from_theta(Scale::logit, t[0]), std::nextafter(1.0, 0.0)), normalized};
  }
  Expression node() const {
    std::vector<Argument> settings{{"n", {double(n)}}};
    if (!normalized) settings.push_back({"normalized", {}, false, {}, "no"});
    return call_node("subsequence", parameters(), std::move(settings));
  }
  std::vector<Parameter> parameters() const {
    Parameter p{"decay", Role::other, decay};
    p.scale = Scale::logit;
    return {p};
  }
  static Vector start(Texts, double) { return Vector::Zero(1); }  // decay 1/2

 private:
  double size() const { return std::pow(decay, 2 * n); }
  static const EmbeddedText& at(Embedded x, Index i) { return x[static_cast<size_t>(i)]; }
  static std::vector<TextPair> pairs(Embedded a, Embedded b) {
    std::vector<TextPair> all;
    all.reserve(a.size() * b.size());
    for (const EmbeddedText& z : b)
      for (const EmbeddedText& x : a) all.push_back({x.text, z.text});
    return all;
  }
  /// s/sqrt(S_x S_z) or decay^2n s; `none` where both texts are too short to have any subsequence.
  void scale(Embedded a, Embedded b, Matrix& s, double none) const {
    for (Index j = 0; j < s.cols(); ++j)
      for (Index i = 0; i < s.rows(); ++i) {
        const double own = at(a, i).own, other = at(b, j).own;
        if (!normalized)
          s(i, j) *= size();
        else if (own > 0 && other > 0)
          s(i, j) /= std::sqrt(own * other);
        else
          s(i, j) = own == other ? none : 0;
      }
  }
};

}  // namespace

Kernel<std::string> subsequence(int n, double decay, bool normalized) {
  check_range("subsequence", "n", n, 1, 10);
  if (!std::isnan(decay) && !(decay > 0 && decay < 1))
    throw Error(Problem::usage,
                fmt::format("subsequence: decay must be a number between 0 and 1, found {}", decay));
  return Subsequence{n, decay, normalized};
}

namespace string_entries {
Entry<std::string> subsequence();
Entry<std::string> subsequence() {
  return {"subsequence",
          "sum_u sum_(i, j) decay^(l(i) + l(j)), u of n bytes at places i of x and j of z that span l",
          "texts with subsequences in common, gaps allowed",
          {"n", "decay", "normalized"},
          [](const Arguments& a) {
            return covary::subsequence(a.integer("n", 3, 1, 10), a.number("decay"),
                                       a.word("normalized", {"yes", "no"}) == "yes");
          },
          0,
          Nature::other,
          Reads::numbers,
          {"n", "normalized"}};
}
}  // namespace string_entries

}  // namespace covary
