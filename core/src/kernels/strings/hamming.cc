// Aligned sequences that differ in some positions.
#include "covary/kernels/registry.h"
#include "covary/kernels/strings/strings.h"
#include "kernels/strings/aligned.h"

namespace covary {
using namespace internal;
namespace {

struct ByteLetters {
  static constexpr const char* name = "hamming";
  static std::vector<Argument> settings() { return {}; }
  static std::vector<unsigned char> codes(const std::string& text) { return {text.begin(), text.end()}; }
  static double difference(unsigned char x, unsigned char z) { return x != z; }
  static double differences(const std::vector<unsigned char>& x, const std::vector<unsigned char>& z) {
    Index sum = 0;
    for (size_t p = 0; p < x.size(); ++p) sum += x[p] != z[p];
    return double(sum);
  }
};

}  // namespace

Kernel<std::string> hamming(Vector lengthscale) {
  return Aligned<ByteLetters>{{}, Lengthscale::checked("hamming", std::move(lengthscale))};
}

namespace string_entries {
Entry<std::string> hamming();
Entry<std::string> hamming() {
  return {"hamming",
          "exp(-sum_p [x_p != z_p]/lengthscale_p)",
          "aligned sequences of one length: variants, codes",
          {"lengthscale"},
          [](const Arguments& a) { return covary::hamming(a.vector("lengthscale")); }};
}
}  // namespace string_entries

}  // namespace covary
