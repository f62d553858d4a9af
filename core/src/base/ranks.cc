#include "covary/base/ranks.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>

#include "covary/base/runtime.h"

namespace covary {
using namespace internal;
namespace {

Ranks* all_ranks = nullptr;  // NOLINT: as MPI has one world

/// Texts, each after its length.
void append_part(std::string& all, const std::string& part) {
  const size_t n = part.size();
  all.append(reinterpret_cast<const char*>(&n), sizeof n).append(part);
}

std::vector<std::string> parts_of(const std::string& all) {
  std::vector<std::string> out;
  for (size_t at = 0; at < all.size();) {
    size_t n = 0;
    std::memcpy(&n, all.data() + at, sizeof n);
    out.push_back(all.substr(at + sizeof n, n));
    at += sizeof n + n;
  }
  return out;
}

/// The results of this rank's group, task after task, or why it failed.
struct GroupShare {
  std::string results;
  std::optional<Error> error;
};

GroupShare own_share(Ranks& r, Index tasks, const std::function<std::string(Index)>& f) {
  GroupShare out;
  try {
    for (Index i = r.group(); i < tasks; i += r.groups()) append_part(out.results, f(i));
  } catch (const Error& e) {
    out.error = e;
  } catch (const std::bad_alloc&) {
    out.error = Error(Problem::limit, "out of memory");
  }
  if (out.error) r.failed(*out.error);
  if (r.rank() != 0) out.results.clear();  // all ranks of a group have the same
  return out;
}

using SharedFile = std::shared_ptr<std::FILE>;

SharedFile opened_file(const std::string& path) {
  if (path == "-") return {stdin, [](std::FILE*) {}};
  std::FILE* file = std::fopen(path.c_str(), "rb");
  return file ? SharedFile(file, &std::fclose) : SharedFile();
}

SharedFile temporary_file(const std::string& path) {
  std::FILE* file = std::tmpfile();
  if (!file)
    throw Error(Problem::failed,
                fmt::format("{}: no temporary file can be made for it: {}", path, std::strerror(errno)));
  return {file, &std::fclose};
}

bool can_be_read_again(std::FILE* file) {
  struct stat is {};
  return ::fstat(::fileno(file), &is) == 0 && (S_ISREG(is.st_mode) || S_ISDIR(is.st_mode));
}

/// The next bytes, at most `room`.
std::string piece_of(std::FILE* file, const std::string& path, double room) {
  constexpr size_t at_once = size_t{1} << 24;
  std::string out(at_once, '\0');
  out.resize(std::fread(out.data(), 1, out.size(), file));
  if (double(out.size()) > room)
    throw Error(Problem::limit, fmt::format("{}: is too long to be sent to all ranks", path));
  return out;
}

/// The first rank's file, piece by piece; `own` is null on the others.
SharedFile shared_file(Ranks& r, const SharedFile& own, const std::string& path) {
  const bool again = own && can_be_read_again(own.get());
  const SharedFile copy = again ? SharedFile() : temporary_file(path);
  double room = 0.25 * double(memory_available());
  for (;;) {
    const std::string piece = r.from_first("bytes of a file", own ? piece_of(own.get(), path, room) : "");
    if (piece.empty()) break;
    room -= double(piece.size());
    if (copy && std::fwrite(piece.data(), 1, piece.size(), copy.get()) != piece.size())
      throw Error(Problem::failed,
                  fmt::format("{}: its copy cannot be written: {}", path, std::strerror(errno)));
  }
  const SharedFile& out = again ? own : copy;
  std::rewind(out.get());
  return out;
}

}  // namespace

Ranks* internal::ranks() { return all_ranks; }

void internal::set_ranks(Ranks* all) { all_ranks = all; }

bool internal::speaks() { return !all_ranks || all_ranks->first(); }

double internal::agreed_seconds() {
  if (all_ranks) return all_ranks->seconds();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<std::string> internal::dealt(const std::string& what, Index tasks,
                                         const std::function<std::string(Index)>& f) {
  Ranks& r = *all_ranks;
  const int groups = int(std::min<Index>(r.count(), tasks));
  r.divide(groups);
  const GroupShare own = own_share(r, tasks, f);
  r.unite();
  if (own.error) r.failed(*own.error);
  if (own.error) throw Error(*own.error);
  const std::vector<std::string> shares = r.gathered(what, own.results);
  std::vector<std::string> out(static_cast<size_t>(tasks));
  for (Index g = 0; g < groups; ++g) {
    const std::vector<std::string> parts = parts_of(shares[static_cast<size_t>(g)]);
    for (Index i = g, k = 0; i < tasks; i += groups, ++k)
      out[static_cast<size_t>(i)] = parts[static_cast<size_t>(k)];
  }
  return out;
}

Range internal::own_part(Index tasks, Index rows) {
  if (!all_ranks || rows <= rows_of_one_rank) return {0, tasks};
  const Index r = all_ranks->rank(), p = all_ranks->count(), first = r * tasks / p;
  return {first, (r + 1) * tasks / p - first};
}

std::string internal::bytes_of(const Vector& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          static_cast<size_t>(numbers.size()) * sizeof(double)};
}

Vector internal::numbers_of(const std::string& bytes) {
  Vector out(Index(bytes.size() / sizeof(double)));
  std::memcpy(out.data(), bytes.data(), static_cast<size_t>(out.size()) * sizeof(double));
  return out;
}

std::shared_ptr<std::FILE> internal::open_to_read(const std::string& path) {
  Ranks* const r = ranks();
  if (!r) return opened_file(path);
  const SharedFile own = r->first() ? opened_file(path) : SharedFile();
  const int error = own || !r->first() ? 0 : errno;
  const std::string why = r->from_first("opening a file", std::to_string(error));
  if (why != "0") return errno = std::stoi(why), nullptr;
  return shared_file(*r, own, path);
}

}  // namespace covary
