// covary: Gaussian processes on the command line.
#include "address_space.h"
#include "command_line.h"
#include "interrupt.h"
#include "output.h"

int main(int argc, char** argv) {
  covary::cli::restart_if_cramped(argv);
  covary::cli::reserve_descriptors();
  covary::cli::end_on_interrupt();
  return covary::cli::run_command_line(argc, argv).code;
}
