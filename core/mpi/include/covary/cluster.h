// A run on a cluster: P processes ("ranks") that MPI started, which compute as one. Only with -DCOVARY_MPI=ON.
//
// Every rank runs the same program on the same data. exact(device=cluster) holds the covariance matrix in tiles on a
// grid of the ranks, 8 n^2/P bytes on each; vecchia() splits the sum over the points; a search deals out its starts. All
// ranks get every result. The first one reads and writes: load_model(), read_csv() give the others its bytes, and
// save_model() writes on it alone.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "covary/base/error.h"

namespace covary {

/// MPI from its beginning to its end; one in a process, made before anything else is computed. Each rank runs on one
/// thread unless told otherwise.
class Cluster {
 public:
  Cluster(int& argc, char**& argv);
  /// Ends MPI; without end() before it, as in an exception, ends the other ranks too.
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  int rank() const;
  int size() const;
  bool first() const { return rank() == 0; }  // the rank that should print

  /// Throws a usage Error on all ranks if they were started with different arguments, versions of Covary or
  /// processors, or if a launcher started several processes each of which MPI takes for all. run() begins with it.
  void check() const;

  /// How the run ended: on all ranks the same.
  struct End {
    int code = 0;         // 0, or that of the Problem
    std::string message;  // of the rank that failed first; "" where that rank says it itself
  };
  /// Waits for all ranks. One that failed ends all of them with its message: those that compute, too.
  End end(int code = 0, const std::string& message = "");

  /// program() on every rank, then end(). An Error goes to standard error, once; returns the exit code.
  int run(const std::function<void()>& program);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace covary
