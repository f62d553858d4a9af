// The data of covary replay: a table whose target is a number or a class, and what a replay is made of.
#pragma once
#include <string>
#include <vector>

#include "covary/select/replay_stream.h"
#include "inputs/model_options.h"

namespace covary::cli {

/// The options as typed.
struct LearnArguments : ModelArguments {
  ReplayOptions replay;
  std::string test, cost, reach, out, plot, where, unit;
  Index limit = 0;
  bool classify = false, maximize = false, resume = false, overwrite = false, json = false, quiet = false;
  bool stream = false;
  internal::StreamMemory memory;
  std::string forget = "redundant";
  const CLI::App* verb = nullptr;
};

/// The table, its target as numbers, and how many classes those are (0: none).
struct Read {
  Training training;
  std::vector<std::string> classes;
};
/// `classes`: those that are known already; none: the words of the target, if it has any or --classify is
/// given.
Read read(const LearnArguments& a, const std::string& path, const std::vector<std::string>& classes,
          Messages& messages);

/// What is replayed: the pool, with costs and test rows where they were given.
ReplayData data_of(const LearnArguments& a, Read& pool, Messages& messages);

/// A fingerprint: runs made with the same settings can be put together; the strategies and the number of
/// repeats may differ.
std::string settings_of(const LearnArguments& a, const ReplayData& d);

}  // namespace covary::cli
