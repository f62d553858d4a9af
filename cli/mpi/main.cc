// covary-mpi: the same command on the ranks that mpirun or srun starts. The first rank reads, writes and talks.
#include <covary/cluster.h>

#include <cstdio>

#include "address_space.h"
#include "interrupt.h"
#include "output.h"
#include "run.h"

int main(int argc, char** argv) {
  using namespace covary;
  cli::restart_if_cramped(argv);
  cli::reserve_descriptors();
  Cluster cluster(argc, argv);
  cli::end_on_interrupt();  // after MPI has set its own
  if (!cluster.first() && !std::freopen("/dev/null", "w", stdout)) return 1;
  const cli::Ended ended = cli::run_command(argc, argv, [&] { cluster.check(); });
  const Cluster::End end = cluster.end(ended.code, ended.error);
  if (!end.message.empty()) cli::say("error", end.message);
  return end.code;
}
