// The clock, the counters and the callback that all searches of one fit share.
#pragma once
#include <atomic>
#include <limits>
#include <mutex>

#include "covary/base/ranks.h"
#include "covary/learn/search.h"

namespace covary {

class Watch {
 public:
  explicit Watch(const FitOptions& options) : options_(options) {}
  double seconds() const { return internal::agreed_seconds() - begin_; }
  void phase(std::string name, double from, double to) {
    const std::lock_guard lock(mutex_);
    phase_ = std::move(name), from_ = from, to_ = to, done_ = 0;
  }
  void count(double value) {
    const std::lock_guard lock(mutex_);
    ++evaluations_;
    best_ = std::max(best_, value);
    if (!options_.progress || canceled_) return;
    share_ = std::max(share_, from_ + (to_ - from_) * done_);  // a stage that begins anew takes nothing back
    if (!options_.progress({phase_, evaluations_, best_, seconds(), share_})) canceled_ = true;
  }
  void done(double share) { done_ = share; }
  /// What all ranks have made by now.
  void agree(int evaluations) {
    const std::lock_guard lock(mutex_);
    evaluations_ = evaluations;
  }

  /// From here on an evaluation takes `each` seconds, and `after` are needed in the end.
  void expect(double each, double after) { reserve_ = each + after; }
  bool stop() const { return canceled_ || out_of_time() || enough(); }
  bool enough() const { return options_.enough && options_.enough(); }
  bool out_of_time() const { return seconds() + reserve_ > options_.max_seconds; }
  bool canceled() const { return canceled_; }
  void throw_if_canceled() const {
    if (canceled_) throw Error(Problem::interrupted, "learning was canceled");
  }
  int evaluations() const { return evaluations_; }

 private:
  const FitOptions& options_;
  double begin_ = internal::agreed_seconds();
  std::mutex mutex_;
  std::string phase_;
  double from_ = 0, to_ = 1, share_ = 0, best_ = -std::numeric_limits<double>::infinity();
  std::atomic<double> done_ = 0, reserve_ = 0;
  int evaluations_ = 0;
  std::atomic<bool> canceled_ = false;
};

}  // namespace covary
