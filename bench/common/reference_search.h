// The best optimum known of each (data set, kernel) pair: a search that spares no starts, and the file that
// keeps what it found. A row of the file is only ever replaced by a better one.
#pragma once
#include <mutex>

#include "covary/base/random.h"
#include "problem.h"
#include "real_sets.h"

namespace bench {

/// The best point known of one pair.
struct Known {
  std::string set, kernel, checksum;
  covary::Index rows = 0;
  double log_evidence = -std::numeric_limits<double>::infinity(), log_prior = 0;
  int searches = 0;  // from log-uniform starts, so far
  std::string from;  // where the best one began
  covary::Vector theta;

  double objective() const { return log_evidence + log_prior; }
};

/// bench/optimizer_reference.csv.
class References {
 public:
  explicit References(std::string path) : path_(std::move(path)) { read(); }

  /// The row of a pair, or nullptr if there is none for these data.
  const Known* find(const std::string& set, const std::string& kernel, const std::string& checksum) const {
    const auto found = rows_.find({set, kernel});
    return found == rows_.end() || found->second.checksum != checksum ? nullptr : &found->second;
  }
  /// Keeps the better of what is there and `k`, and writes the file.
  void improve(const Known& k) {
    const std::lock_guard lock(mutex_);
    read();  // another process may have written
    Known& row = rows_[{k.set, k.kernel}];
    const int searches = row.checksum == k.checksum ? std::max(row.searches, k.searches) : k.searches;
    if (row.checksum != k.checksum || k.objective() > row.objective() + 1e-9) row = k;
    row.searches = searches;
    write();
  }

 private:
  void read() {
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#' || line.rfind("set,", 0) == 0) continue;
      std::vector<std::string> f;
      std::istringstream fields(line);
      for (std::string field; std::getline(fields, field, ',');) f.push_back(field);
      std::vector<double> theta;
      std::istringstream numbers(f.at(8));
      for (double v = 0; numbers >> v;) theta.push_back(v);
      rows_[{f[0], f[1]}] = {f[0],
                             f[1],
                             f[3],
                             std::stol(f[2]),
                             std::stod(f[4]),
                             std::stod(f[5]),
                             std::stoi(f[6]),
                             f[7],
                             Eigen::Map<const covary::Vector>(theta.data(), std::ssize(theta))};
    }
  }
  void write() const {
    const std::string fresh = path_ + ".new";
    {
      std::ofstream file(fresh);
      file << "# The best optimum known of each pair; made and improved by build/bench/optimizer --reference "
              "(see bench/common/reference_search.h).\n"
              "# 64 log-uniform starts of 15 evaluations each on at most 300 rows, the best 12 apart "
              "continued for 12 on all rows, the best 3 apart to\n"
              "# convergence; or what fit found, if that was better. theta: logarithms, the noise last.\n"
              "set,kernel,rows,checksum,log_evidence,log_prior,searches,from,theta\n";
      for (const auto& [key, k] : rows_) {
        file << fmt::format("{},{},{},{},{:.6f},{:.6f},{},{},", k.set, k.kernel, k.rows, k.checksum,
                            k.log_evidence, k.log_prior, k.searches, k.from);
        for (covary::Index i = 0; i < k.theta.size(); ++i)
          file << fmt::format("{}{:.10g}", i ? " " : "", k.theta[i]);
        file << '\n';
      }
    }
    std::filesystem::rename(fresh, path_);
  }

  std::string path_;
  std::map<std::pair<std::string, std::string>, Known> rows_;
  std::mutex mutex_;
};

/// Searches from log-uniform starts.
class ReferenceSearch {
 public:
  ReferenceSearch(const RealSet& set, const Problem& problem, std::uint64_t seed)
      : set_(set), problem_(problem), rng_(seed) {}

  /// The best of `count` searches.
  Known best(int count) {
    const covary::Index n = set_.y.size();
    const std::shared_ptr<Problem::Evidence> few = n > 300 ? problem_.on(some_rows(300)) : nullptr;
    std::vector<Found> found;
    for (int k = 0; k < count; ++k) {
      const bool box = k % 2 == 0;
      const covary::Vector start = drawn(few ? *few : *problem_.evidence, box);
      if (start.size() == 0) continue;
      const std::string name = fmt::format("{} {}", box ? "box" : "data", k);
      found.push_back(descended(few ? *few : *problem_.evidence, {name, start, 0}, 15));
    }
    found = apart(std::move(found), 12);
    for (Found& f : found) f = descended(*problem_.evidence, f, 12);
    found = apart(std::move(found), 3);
    for (Found& f : found) f = descended(*problem_.evidence, f, 150);
    found = apart(std::move(found), 1);
    Known out;
    out.searches = count;
    if (found.empty() || !std::isfinite(found[0].value)) return out;
    out.from = found[0].from, out.theta = found[0].theta;
    out.log_prior = covary::internal::log_prior(problem_.parameters, out.theta);
    out.log_evidence = -found[0].value - out.log_prior;
    return out;
  }

 private:
  struct Found {
    std::string from;
    covary::Vector theta;
    double value = 0;  // minus the objective, on the rows of the last descent
  };

  /// A window of a series; rows by chance of a table.
  std::vector<covary::Index> some_rows(covary::Index most) {
    const covary::Index n = set_.y.size();
    if (set_.x.cols() > 1) return rng_.subset(n, most);
    std::vector<covary::Index> rows(static_cast<size_t>(most));
    std::iota(rows.begin(), rows.end(), rng_.integer(n - most + 1));
    return rows;
  }

  /// A point where the objective is finite, log-uniform in the box or in what the data make plausible; empty
  /// if 50 draws found none.
  covary::Vector drawn(Problem::Evidence& evidence, bool box) {
    covary::Vector t(std::ssize(problem_.parameters));
    for (int tries = 0; tries < 50; ++tries) {
      for (covary::Index i = 0; i < t.size(); ++i) {
        const covary::internal::SearchParameter& s = problem_.parameters[static_cast<size_t>(i)];
        const auto [low, high] = box ? std::pair(s.lower, s.upper) : plausible(s);
        t[i] = std::clamp(low + rng_.uniform() * (high - low), s.lower, s.upper);
      }
      if (std::isfinite(evidence.at(t, false).value)) return t;
    }
    return {};
  }
  std::pair<double, double> plausible(const covary::internal::SearchParameter& s) const {
    const auto around = [&s](double below, double above) {
      return std::pair(s.reference - std::log(below), s.reference + std::log(above));
    };
    if (s.is_noise()) return around(100, 100);
    if (s.parameter.role == covary::Role::lengthscale) return around(300, 30);
    if (s.parameter.role == covary::Role::period) {
      const covary::Index k = std::max<covary::Index>(0, s.parameter.column);
      const double range = set_.x.col(k).maxCoeff() - set_.x.col(k).minCoeff();
      return {std::log(2 * range / double(set_.x.rows() - 1)), std::log(range)};
    }
    return around(10, 10);
  }

  /// Downhill by at most `evaluations`. The search sees 5 theta: its first step of 1 is 0.2 of theta.
  Found descended(Problem::Evidence& evidence, const Found& from, int evaluations) {
    constexpr double stretch = 5;
    covary::internal::MinimizeOptions options;
    options.max_evaluations = evaluations;
    options.longest_step *= stretch, options.gradient_tolerance /= stretch;
    const covary::internal::Smooth f = [&](const covary::Vector& u) {
      auto at = problem_.at(evidence, u / stretch);
      at.second /= stretch;
      return at;
    };
    const covary::internal::Minimum m = covary::internal::minimize(
        f, stretch * from.theta, stretch * problem_.lower, stretch * problem_.upper, options);
    return {from.from, m.x / stretch, m.value};
  }

  /// The best so many that are not the same point.
  static std::vector<Found> apart(std::vector<Found> all, size_t most) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Found& a, const Found& b) { return a.value < b.value; });
    std::vector<Found> out;
    for (Found& f : all) {
      const bool seen = std::any_of(out.begin(), out.end(), [&](const Found& g) {
        return (f.theta - g.theta).cwiseAbs().maxCoeff() < 0.1 || std::abs(f.value - g.value) < 1e-4;
      });
      if (!seen && std::isfinite(f.value) && out.size() < most) out.push_back(std::move(f));
    }
    return out;
  }

  const RealSet& set_;
  const Problem& problem_;
  covary::Random rng_;
};

}  // namespace bench
