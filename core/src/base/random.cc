#include "covary/base/random.h"

#include <algorithm>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <numeric>

namespace covary {
using namespace internal;

struct Random::Engine {
  explicit Engine(std::uint64_t seed) : bits(seed) {}
  boost::random::mt19937_64 bits;
  boost::random::normal_distribution<double> normal;
  boost::random::uniform_01<double> uniform;
};

Random::Random(std::uint64_t seed) : engine_(std::make_unique<Engine>(seed)) {}
Random::~Random() = default;
Random::Random(Random&&) noexcept = default;
Random& Random::operator=(Random&&) noexcept = default;

double Random::normal() { return engine_->normal(engine_->bits); }
double Random::uniform() { return engine_->uniform(engine_->bits); }
double Random::gamma(double shape) { return boost::random::gamma_distribution<double>(shape)(engine_->bits); }
Index Random::integer(Index n) {
  return boost::random::uniform_int_distribution<Index>(0, n - 1)(engine_->bits);
}
std::uint64_t Random::fork() { return engine_->bits(); }

Matrix Random::normal(Index rows, Index cols) {
  Matrix z(rows, cols);
  for (double& v : z.reshaped()) v = normal();
  return z;
}

std::vector<Index> Random::subset(Index n, Index k) {  // Fisher-Yates, stopped after k
  std::vector<Index> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  k = std::min(k, n);
  for (Index i = 0; i < k; ++i)
    std::swap(all[static_cast<size_t>(i)], all[static_cast<size_t>(i + integer(n - i))]);
  all.resize(static_cast<size_t>(k));
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Index> internal::representatives(Index m, Index most) {
  return m <= most ? all_indices(m) : Random(1).subset(m, most);
}

}  // namespace covary
