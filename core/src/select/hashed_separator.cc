#include "covary/select/hashed_separator.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace covary {
using namespace internal;
namespace {

constexpr std::uint64_t hashes = 4;

}  // namespace

HashedSeparator::HashedSeparator(const Pool& pool, Index bits, int threads) {
  std::optional<ExplicitFeatures> f = explicit_features(pool, most_rank, true, threads);
  if (!f || f->x.cols() == 0)
    throw Error(
        Problem::usage,
        fmt::format(
            "strategy svm-margin: hash needs a kernel with few features, as linear() has: over these {} "
            "candidates this one has {}",
            pool.size, f ? "none" : fmt::format("more than {}", most_rank)));
  features_ = *std::move(f);
  Matrix& x = features_.x;
  middle_ = x.colwise().mean();
  x.rowwise() -= middle_;
  constant_ = std::sqrt(x.rowwise().squaredNorm().mean());
  x.conservativeResize(Eigen::NoChange, x.cols() + 1);
  x.col(x.cols() - 1).setConstant(constant_);
  constexpr Index least = 500, share = 100;  // candidates that each hash looks at: 1 in 100, but 500 at least
  for (std::uint64_t seed = 1; seed <= hashes; ++seed)
    hashes_.emplace_back(
        x, HashOptions{
               .bits = bits, .look = std::max(least, x.rows() / share), .seed = seed, .threads = threads});
}

std::vector<std::pair<Index, double>> HashedSeparator::nearest(const PoolClassifier& c,
                                                               const std::function<bool(Index)>& open) const {
  const Index r = std::ssize(features_.rows);
  Matrix at_rows(r, std::ssize(c.machines));
  for (Index i = 0; i < r; ++i)
    at_rows.row(i) = c.decision({features_.rows[static_cast<size_t>(i)], 1}).row(0);
  const Eigen::RowVectorXd at_first = c.decision({0, 1}).row(0);
  std::map<Index, double> found;
  for (Index j = 0; j < std::ssize(c.machines); ++j) {
    if (!c.machines[static_cast<size_t>(j)] || (j == 0 && c.machines.size() == 2)) continue;
    const Vector beta =
        features_.lower.triangularView<Eigen::Lower>().solve((at_rows.col(j).array() - at_first[j]).matrix());
    Vector w(r + 1);
    w << beta, (at_first[j] + middle_.dot(beta)) / constant_;
    for (const HyperplaneHash& hash : hashes_)
      for (const Index i : hash.nearest(w, open).points) {
        const auto [at, fresh] = found.emplace(i, 0);
        const double f = std::abs(features_.x.row(i).dot(w));
        at->second = fresh ? f : std::min(at->second, f);
      }
  }
  return {found.begin(), found.end()};
}

std::string HashRecall::text() const {
  return fmt::format(
      "hashing looked at {:.2g} % of the candidates; of {} {} by a scan it found the nearest {} {}, one of "
      "the nearest 1 % {}",
      100 * double(looked) / double(std::max<Index>(1, of)), checks, checks == 1 ? "check" : "checks", first,
      first == 1 ? "time" : "times", near);
}

}  // namespace covary
