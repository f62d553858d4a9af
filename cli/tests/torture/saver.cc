// saver PATH A.json B.json: says "ready", then saves the two models to PATH by turns, until it is killed.
#include <cstdio>

#include "covary/base/error.h"
#include "covary/model/model_file.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    const covary::FittedModel a = covary::load_model(argv[2]), b = covary::load_model(argv[3]);
    std::puts("ready");
    std::fflush(stdout);
    for (;;) {
      covary::save_model(a, argv[1]);
      covary::save_model(b, argv[1]);
    }
  } catch (const covary::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
