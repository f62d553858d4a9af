#include "covary/cluster.h"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "covary/base/runtime.h"
#include "place.h"
#include "world.h"

namespace covary {
using namespace internal;
namespace {

/// What has to be the same on all ranks, by name.
std::vector<std::pair<std::string, std::string>> marks(const std::string& arguments) {
  return {{"version", COVARY_VERSION},
          {"arguments", arguments},
          {"kernels of BLAS", machine().core},
          {"loops", machine().loops}};
}

/// Throws on all ranks if one has other marks than rank 0.
void check_alike(World& world, const std::string& arguments) {
  for (const auto& [name, own] : marks(arguments)) {
    const std::vector<std::string> all = world.gathered(name, own);
    for (size_t r = 1; r < all.size(); ++r)
      if (all[r] != all[0])
        throw Error(Problem::usage,
                    fmt::format("the ranks are not alike: the {} of rank {}: '{}', of rank 0: '{}'", name, r,
                                all[r], all[0]));
  }
}

/// Throws if a launcher of another MPI started several processes, each of which would take itself for all.
void check_launcher(int size) {
  for (const char* setting : {"SLURM_STEP_NUM_TASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* value = std::getenv(setting);
    const int started = value ? std::atoi(value) : 0;
    if (started > 1 && size == 1)
      throw Error(Problem::usage,
                  fmt::format("{} processes were started ({}), MPI sees one: start them by the mpirun "
                              "that comes with this MPI, or srun --mpi=pmix",
                              started, setting));
  }
}

}  // namespace

struct Cluster::State {
  std::unique_ptr<World> world;
  std::string arguments;
  bool own_mpi = false, ended = false;
};

Cluster::Cluster(int& argc, char**& argv) : state_(std::make_unique<State>()) {
  if (ranks()) throw Error(Problem::usage, "there is a covary::Cluster already: one serves a whole process");
  (void)machine();  // the repair of OpenBLAS comes before anything calls it
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (!initialized) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    state_->own_mpi = true;
  }
  state_->world = std::make_unique<World>(MPI_COMM_WORLD);
  World& world = *state_->world;
  set_ranks(&world);
  set_cluster_place(cluster_place_of(world));
  for (int i = 1; i < argc; ++i) state_->arguments += fmt::format("{}{}", i > 1 ? " " : "", argv[i]);
}

void Cluster::check() const {
  check_launcher(size());
  check_alike(*state_->world, state_->arguments);
}

Cluster::~Cluster() {
  if (!state_->ended) (void)end(static_cast<int>(Problem::failed), "it ended before the others");
  set_cluster_place({});
  set_ranks(nullptr);
  state_->world.reset();
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (state_->own_mpi && !finalized) MPI_Finalize();
}

int Cluster::rank() const { return state_->world->rank(); }
int Cluster::size() const { return state_->world->count(); }

Cluster::End Cluster::end(int code, const std::string& message) {
  state_->ended = true;
  auto [all, text] = state_->world->finish(code, message);
  return {all, first() ? text : std::string()};
}

int Cluster::run(const std::function<void()>& program) {
  int code = 0;
  std::string message;
  const auto failed = [&](Problem problem, const std::string& what) {
    code = static_cast<int>(problem), message = what;
    if (first()) (void)!std::fprintf(stderr, "error: %s\n", what.c_str());
  };
  try {
    check();
    program();
  } catch (const Error& e) {
    failed(e.problem(), e.what());
  } catch (const std::bad_alloc&) {
    failed(Problem::limit, "out of memory");
  } catch (const std::exception& e) {
    failed(Problem::failed, e.what());
  }
  const End e = end(code, message);
  if (!e.message.empty()) (void)!std::fprintf(stderr, "error: %s\n", e.message.c_str());
  return e.code;
}

}  // namespace covary
