// The processes of a run that works as one. All run the same program on the same data, and meet where they exchange
// numbers; what decides how the program goes on is the same on all of them.
//
// There are none, and this process is alone, except under covary::Cluster (core/mpi).
#pragma once
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "covary/base/error.h"
#include "covary/base/types.h"

namespace covary::internal {

/// The ranks of a group: of all of them, or between divide() and unite() of a part. Used by the thread that made it.
/// A meeting has a name, and takes place on all ranks of the group or on none: where one has failed the others
/// throw its Error, and where they ask for different things all throw.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual bool first() const = 0;      // of all: the rank that reads, writes and prints
  virtual int rank() const = 0;        // in the group, from 0
  virtual int count() const = 0;       // of the group
  virtual int threads() const = 0;     // the share of the cores that a rank has
  virtual double seconds() const = 0;  // of the group's first rank when it last met: the same on all

  virtual void meet(const std::string& what) = 0;
  virtual std::string from_first(const std::string& what, const std::string& bytes) = 0;
  /// What every rank has, in the order of the ranks.
  virtual std::vector<std::string> gathered(const std::string& what, const std::string& bytes) = 0;

  virtual void divide(int groups) = 0;  // rank r joins group r mod groups
  virtual void unite() = 0;
  virtual int group() const = 0;
  virtual int groups() const = 0;
  /// Tells the others of the group that this rank has failed; no effect if they know.
  virtual void failed(const Error& e) = 0;
};

/// Null where this process is alone.
Ranks* ranks();
void set_ranks(Ranks* all);

/// Whether this process reads, writes and prints.
bool speaks();

/// Seconds since some moment, the same on all ranks where there are some.
double agreed_seconds();

/// f(0), ..., f(tasks - 1), which do not depend on each other, dealt out to groups of ranks: what each returned, on
/// all ranks. Only where there are ranks.
std::vector<std::string> dealt(const std::string& what, Index tasks,
                               const std::function<std::string(Index)>& f);

/// The part of so many like tasks that this rank does, of `rows` rows in all: all of them where it is alone in its
/// group, or the rows are too few to be split.
Range own_part(Index tasks, Index rows);
constexpr Index rows_of_one_rank = 4000;

/// Numbers as bytes, and back.
std::string bytes_of(const Vector& numbers);
Vector numbers_of(const std::string& bytes);

/// A file to read from its beginning, "-" for standard input; null, with errno, if it cannot be opened. On a cluster
/// the first rank reads it and the others have a copy.
std::shared_ptr<std::FILE> open_to_read(const std::string& path);

}  // namespace covary::internal
