#include "world.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "covary/base/runtime.h"

namespace covary::internal {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr Index at_once = Index{1} << 27;  // MPI counts in int

/// Waits without keeping a core busy: the others may compute for long. False after `patience` seconds.
bool done_within(MPI_Request& request, double patience) {
  const double begin = now();
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return true;
    const double waited = now() - begin;
    if (waited > patience) return false;
    if (waited < 1e-4)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(waited < 1e-2 ? 50 : 1000));
  }
}

}  // namespace

/// What a rank brings to a meeting.
struct World::Header {
  double seconds = 0;
  int problem = 0;  // of a rank that failed
  int world_rank = 0;
  char what[48] = {};

  Header() = default;
  Header(double s, int rank, const std::string& name) : seconds(s), world_rank(rank) {
    name.copy(what, sizeof what - 1);
  }
  bool same(const Header& other) const { return std::strcmp(what, other.what) == 0; }
};

World::World(MPI_Comm all) : thread_(std::this_thread::get_id()) {
  Group g{all, 0, 1, 0, 1};
  MPI_Comm_rank(all, &g.rank);
  MPI_Comm_size(all, &g.count);
  world_rank_ = g.rank;
  groups_.push_back(g);
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &on_this_machine_);
  MPI_Comm_free(&here);
  threads_ = std::max(1, machine().threads / on_this_machine_);
  MPI_Allreduce(MPI_IN_PLACE, &threads_, 1, MPI_INT, MPI_MIN, all);
  since_ = now();
}

World::~World() {
  while (groups_.size() > 1) unite();
}

double World::seconds() const { return agreed_ + (groups_.size() > 1 && count() == 1 ? now() - since_ : 0); }

std::vector<World::Header> World::exchanged(const Header& own, double patience) {
  if (std::this_thread::get_id() != thread_)
    throw Error(Problem::usage,
                fmt::format("{}: on a cluster only one thread of each rank may ask for it; use one thread",
                            own.what));
  std::vector<Header> all(static_cast<size_t>(count()));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, comm(), &request);
  if (!done_within(request, patience)) return {};
  agreed_ = all[0].seconds, since_ = now();
  return all;
}

/// The Error of the lowest rank that failed, on all.
void World::rethrow(const std::vector<Header>& all, const Error* own) {
  const auto bad = std::find_if(all.begin(), all.end(), [](const Header& h) { return h.problem != 0; });
  const int from = int(bad - all.begin());
  std::string what = broadcast(own ? own->what() : "", from);
  if (bad->world_rank > 0 && !what.starts_with("rank "))
    what = fmt::format("rank {}: {}", bad->world_rank, what);
  told_ = true;
  throw Error(static_cast<Problem>(bad->problem), what);
}

void World::meet(const std::string& what) {
  const double clock = agreed_ + (now() - since_);
  const std::vector<Header> all = exchanged({clock, world_rank_, what}, 1e300);
  if (std::any_of(all.begin(), all.end(), [](const Header& h) { return h.problem != 0; }))
    rethrow(all, nullptr);
  for (size_t r = 1; r < all.size(); ++r) {
    if (all[r].same(all[0])) continue;
    told_ = true;
    throw Error(
        Problem::failed,
        fmt::format(
            "the ranks went different ways: rank 0 came to \"{}\", rank {} to \"{}\"; all have to run "
            "the same program on the same data",
            all[0].what, r, all[r].what));
  }
}

void World::failed(const Error& e) {
  if (std::exchange(told_, true)) return;
  constexpr double patience = 10;  // seconds; those that compute now do not answer
  Header own(agreed_ + (now() - since_), world_rank_, "an error");
  own.problem = static_cast<int>(e.problem());
  const std::vector<Header> all = exchanged(own, patience);
  if (all.empty()) {
    const std::string text = fmt::format("covary: error: rank {}: {}\n", world_rank_, e.what());
    (void)!std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, own.problem);
  }
  try {
    rethrow(all, &e);
  } catch (const Error&) {  // it is on its way already
  }
}

std::string World::broadcast(std::string bytes, int from) const {
  auto size = static_cast<unsigned long long>(bytes.size());
  MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, from, comm());
  bytes.resize(size);
  for (Index i = 0; i < Index(size); i += at_once)
    MPI_Bcast(bytes.data() + i, int(std::min(at_once, Index(size) - i)), MPI_BYTE, from, comm());
  return bytes;
}

std::string World::from_first(const std::string& what, const std::string& bytes) {
  meet(what);
  return broadcast(bytes, 0);
}

std::vector<std::string> World::gathered(const std::string& what, const std::string& bytes) {
  meet(what);
  const auto p = static_cast<size_t>(count());
  std::vector<long long> sizes(p);
  const auto own = static_cast<long long>(bytes.size());
  MPI_Allgather(&own, 1, MPI_LONG_LONG, sizes.data(), 1, MPI_LONG_LONG, comm());
  std::vector<std::string> out(p);
  std::vector<int> counts(p), starts(p);
  long long all = 0;
  for (size_t r = 0; r < p; all += sizes[r++])
    if (all + sizes[r] < at_once) counts[r] = int(sizes[r]), starts[r] = int(all);
  if (all < at_once) {
    std::string together(static_cast<size_t>(all), '\0');
    MPI_Allgatherv(bytes.data(), int(own), MPI_BYTE, together.data(), counts.data(), starts.data(), MPI_BYTE,
                   comm());
    for (size_t r = 0; r < p; ++r)
      out[r] = together.substr(static_cast<size_t>(starts[r]), static_cast<size_t>(counts[r]));
    return out;
  }
  for (size_t r = 0; r < p; ++r) out[r] = broadcast(int(r) == rank() ? bytes : "", int(r));
  return out;
}

void World::divide(int groups) {
  const int number = rank() % groups;
  Group g{MPI_COMM_NULL, 0, 1, number, groups};
  MPI_Comm_split(comm(), number, rank(), &g.comm);
  MPI_Comm_rank(g.comm, &g.rank);
  MPI_Comm_size(g.comm, &g.count);
  groups_.push_back(g);
}

void World::unite() {
  MPI_Comm comm = groups_.back().comm;
  groups_.pop_back();
  MPI_Comm_free(&comm);
  told_ = false;
}

void World::sum(Eigen::Ref<Vector> numbers) const {
  const bool root = rank() == 0;
  MPI_Reduce(root ? MPI_IN_PLACE : numbers.data(), numbers.data(), int(numbers.size()), MPI_DOUBLE, MPI_SUM,
             0, comm());
  MPI_Bcast(numbers.data(), int(numbers.size()), MPI_DOUBLE, 0, comm());
}

void World::collect(double* numbers, Index count) const {
  for (Index i = 0; i < count; i += at_once)
    MPI_Allreduce(MPI_IN_PLACE, numbers + i, int(std::min(at_once, count - i)), MPI_DOUBLE, MPI_SUM, comm());
}

std::pair<int, std::string> World::finish(int code, const std::string& message) {
  while (groups_.size() > 1) unite();
  if (told_) return {code, ""};
  if (code != 0) return failed(Error(static_cast<Problem>(code), message)), std::pair{code, std::string()};
  try {
    meet("the end");
  } catch (const Error& e) {
    return {static_cast<int>(e.problem()), e.what()};
  }
  return {0, ""};
}

}  // namespace covary::internal
