// Ranks (base/ranks.h) by MPI.
#pragma once
#include <mpi.h>

#include <thread>
#include <vector>

#include "covary/base/ranks.h"

namespace covary::internal {

class World final : public Ranks {
 public:
  explicit World(MPI_Comm all);
  ~World() override;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  bool first() const override { return world_rank_ == 0; }
  int rank() const override { return groups_.back().rank; }
  int count() const override { return groups_.back().count; }
  int threads() const override { return threads_; }
  double seconds() const override;
  void meet(const std::string& what) override;
  std::string from_first(const std::string& what, const std::string& bytes) override;
  std::vector<std::string> gathered(const std::string& what, const std::string& bytes) override;
  void divide(int groups) override;
  void unite() override;
  int group() const override { return groups_.back().number; }
  int groups() const override { return groups_.back().of; }
  void failed(const Error& e) override;

  MPI_Comm comm() const { return groups_.back().comm; }
  /// Of the ranks that share this one's memory.
  int on_this_machine() const { return on_this_machine_; }

  /// The same on all ranks: a sum in the order that MPI takes, and numbers that are 0 on all but one.
  void sum(Eigen::Ref<Vector> numbers) const;
  void collect(double* numbers, Index count) const;

  /// After an Error that all ranks know: the run goes on.
  void begin_again() { told_ = false; }
  /// All ranks are at their end, or one was before it: what is to be said of it, by whom it is not said yet.
  std::pair<int, std::string> finish(int code, const std::string& message);

 private:
  struct Group {
    MPI_Comm comm;
    int rank, count, number, of;
  };
  struct Header;
  std::vector<Header> exchanged(const Header& own, double patience);
  [[noreturn]] void rethrow(const std::vector<Header>& all, const Error* own);
  std::string broadcast(std::string bytes, int from) const;

  std::vector<Group> groups_;  // the present one last
  int world_rank_ = 0, on_this_machine_ = 1, threads_ = 1;
  std::thread::id thread_;
  double agreed_ = 0, since_ = 0;  // the first rank's clock when the group met, and this rank's then
  bool told_ = false;              // the others know that this rank cannot go on
};

}  // namespace covary::internal
