// covary: Gaussian processes on the command line. 130: interrupted; the other exit codes are in run.h.
#include "address_space.h"
#include "interrupt.h"
#include "output.h"
#include "run.h"

int main(int argc, char** argv) {
  covary::cli::restart_if_cramped(argv);
  covary::cli::reserve_descriptors();
  covary::cli::end_on_interrupt();
  return covary::cli::run_command(argc, argv);
}
