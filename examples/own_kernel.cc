// A kernel of one's own, over strings: how many letter pairs two words share. No base class, no registration.
#include <covary/learn/fit.h>

#include <cmath>
#include <iostream>
#include <map>

using namespace covary;
using Words = std::span<const std::string>;

struct LetterPairs {
  double variance = 1;

  Matrix cross(Words a, Words b) const {
    Matrix k(count(a), count(b));
    for (Index i = 0; i < k.rows(); ++i)
      for (Index j = 0; j < k.cols(); ++j) k(i, j) = variance * shared(a[size_t(i)], b[size_t(j)]);
    return k;
  }
  Vector diag(Words a) const {
    Vector k(count(a));
    for (Index i = 0; i < k.size(); ++i) k[i] = variance * shared(a[size_t(i)], a[size_t(i)]);
    return k;
  }
  Vector pullback(Words a, Words b, const Matrix& w) const {  // dk/dlog variance = k
    return Vector::Constant(1, w.cwiseProduct(cross(a, b)).sum());
  }
  Vector theta() const { return Vector::Constant(1, std::log(variance)); }
  LetterPairs with(const Vector& t) const { return {std::exp(t[0])}; }
  std::string text() const { return "letter_pairs(variance=" + number_text(variance) + ")"; }
  Kernel<std::string> amplified() const { return *this; }  // it has a variance already

 private:
  static std::map<std::string, int> pairs(const std::string& s) {
    std::map<std::string, int> n;
    for (size_t i = 0; i + 1 < s.size(); ++i) ++n[s.substr(i, 2)];
    return n;
  }
  static double shared(const std::string& a, const std::string& b) {
    double sum = 0;
    const auto pb = pairs(b);
    for (const auto& [pair, n] : pairs(a))
      if (const auto it = pb.find(pair); it != pb.end()) sum += n * it->second;
    return sum;
  }
};
static_assert(KernelOver<LetterPairs, std::string>);

int main() {
  const std::vector<std::string> words{"banana", "bandana", "cabana", "stone", "alone", "phone"},
      ask{"ananas", "tone"};
  Vector sweetness(6);
  sweetness << 9, 7, 8, 1, 2, 1;
  const auto fitted = fit<std::string>({.kernel = LetterPairs{}}, words, sweetness);
  const Marginals m = fitted.process.predict(ask);
  for (size_t i = 0; i < ask.size(); ++i)
    std::cout << ask[i] << ": " << m.mean[Index(i)] << " +- " << m.sd()[Index(i)] << "\n";
  return m.mean[0] > m.mean[1] ? 0 : 1;  // like bananas, not like stones
}
