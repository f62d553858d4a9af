#include "verbs/replay_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "covary/base/error.h"

namespace covary::cli {
namespace {

/// The words of a column as numbers of classes, in alphabetical order (numbers by size).
std::vector<std::string> classes_of(const Column& c) {
  std::vector<std::string> out;
  if (c.kind == Column::Kind::text) {
    const std::set<std::string> words(c.texts.begin(), c.texts.end());
    for (const std::string& w : words)
      if (!w.empty()) out.push_back(w);
  } else {
    const std::set<double> values(c.values.begin(), c.values.end());
    for (const double v : values)
      if (!std::isnan(v)) out.push_back(internal::format_number(v));
  }
  return out;
}

void code_classes(Table& table, const std::string& target, const std::vector<std::string>& classes) {
  for (Column& c : table.columns) {
    if (c.name != target) continue;
    std::vector<double> codes;
    for (Index i = 0; i < c.rows(); ++i) {
      const std::string word = c.kind == Column::Kind::text
                                   ? c.texts[static_cast<size_t>(i)]
                                   : internal::format_number(c.values[static_cast<size_t>(i)]);
      const auto at = std::find(classes.begin(), classes.end(), word);
      const bool missing = std::binary_search(c.missing.begin(), c.missing.end(), i);
      if (!missing && at == classes.end())
        throw Error(Problem::data,
                    fmt::format("{}: class '{}' is not among the candidates'", table.where(i, target), word));
      codes.push_back(missing ? std::numeric_limits<double>::quiet_NaN() : double(at - classes.begin()));
    }
    c.kind = Column::Kind::number, c.values = codes, c.texts.clear(), c.offence.reset();
  }
}

/// A random subset of the rows.
void limit_rows(Selection& s, Index most, std::uint64_t seed, Messages& messages) {
  if (most <= 0 || s.y.size() <= most) return;
  messages.note(fmt::format("{} of {} rows drawn (--limit)", most, s.y.size()));
  const std::vector<Index> rows = Random(seed).subset(s.y.size(), most);
  s.x = s.x(rows, Eigen::all).eval(), s.y = s.y(rows).eval();
  std::vector<Index> of_table;
  for (const Index r : rows) of_table.push_back(s.rows[static_cast<size_t>(r)]);
  s.rows = of_table;
}

std::uint64_t hashed(std::string_view bytes, std::uint64_t h = 1469598103934665603U) {
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return h;
}
std::string_view bytes_of(const Matrix& m) {
  return {reinterpret_cast<const char*>(m.data()), sizeof(double) * static_cast<size_t>(m.size())};
}

}  // namespace

Read read(const LearnArguments& a, const std::string& path, const std::vector<std::string>& classes,
          Messages& messages) {
  Table table = read_table(path, a.csv, messages);
  Read out{{}, classes};
  if (!a.target.empty()) {
    const Column& target = table.column(a.target);
    if (!a.classify) internal::refuse_strays(table, target);
    if (classes.empty() && (target.kind == Column::Kind::text || a.classify))
      out.classes = classes_of(target);
    if (out.classes.size() == 1)
      throw Error(Problem::data, fmt::format("{}: all labels are '{}'", table.source, out.classes[0]));
    if (out.classes.size() > 200)
      throw Error(Problem::limit, fmt::format("{}: column '{}' has {} classes, at most 200 can be told apart",
                                              table.source, a.target, out.classes.size()));
    if (!out.classes.empty()) code_classes(table, a.target, out.classes);
  }
  out.training = training_of(std::move(table), a, messages);
  check_readable_rows(out.training, a);
  return out;
}

std::string settings_of(const LearnArguments& a, const ReplayData& d) {
  const ReplayOptions& o = a.replay;
  const std::string text =
      fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", a.kernel, a.mean, a.noise, o.budget,
                  o.start, o.batch, o.test_share, o.random_share, o.relearn, o.penalty, o.seed,
                  o.stop.largest_sd, o.stop.gain, o.stop.change, o.stop.rounds);
  std::uint64_t h = hashed(text);
  if (o.minimize) h = hashed("minimize", h);
  if (a.stream) h = hashed(fmt::format("stream|{}|{}", a.memory.points, a.forget), h);
  for (const Matrix& m : {d.x, Matrix(d.y), d.test_x, Matrix(d.test_y), Matrix(d.cost)})
    h = hashed(bytes_of(m), h);
  return fmt::format("{:016x}", h);
}

ReplayData data_of(const LearnArguments& a, Read& pool, Messages& messages) {
  Selection& s = pool.training.selection;
  limit_rows(s, a.limit, a.replay.seed, messages);
  ReplayData d{s.x, s.y, std::ssize(pool.classes)};
  if (!a.cost.empty()) {
    d.cost = internal::numbers(pool.training.table, {a.cost}, s.rows).col(0);
    for (Index i = 0; i < d.cost.size(); ++i)
      if (!(d.cost[i] > 0))
        throw Error(
            Problem::data,
            fmt::format("{}: expected a positive cost, found {}",
                        pool.training.table.where(s.rows[static_cast<size_t>(i)], a.cost), d.cost[i]));
  }
  if (!a.test.empty()) {
    LearnArguments same = a;
    same.schema = s.schema;
    const Read test = read(same, a.test, pool.classes, messages);
    d.test_x = test.training.selection.x, d.test_y = test.training.selection.y;
  }
  return d;
}

}  // namespace covary::cli
