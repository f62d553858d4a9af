// Real series and tables to fit, from the data folder: those of `classic/` with one input, and tables of
// `uci/`.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "uci.h"

namespace bench {

struct RealSet {
  std::string name;
  covary::Matrix x;
  covary::Vector y;

  /// FNV-1a of the numbers' bits: a changed file is noticed.
  std::string checksum() const {
    std::uint64_t h = 14695981039346656037ULL;
    const auto add = [&h](const double* from, covary::Index count) {
      std::vector<unsigned char> bytes(static_cast<size_t>(count) * sizeof(double));
      std::memcpy(bytes.data(), from, bytes.size());
      for (const unsigned char b : bytes) h = (h ^ b) * 1099511628211ULL;
    };
    add(x.data(), x.size()), add(y.data(), y.size());
    return fmt::format("{:016x}", h);
  }
};

/// The series of tsdl_gpss_series.csv.gz (series, t, y) with 50 to 1000 points.
inline void add_series(std::vector<RealSet>& all, const std::string& path) {
  const covary::Table table = covary::read_csv_file(path);
  const std::vector<std::string>& name = table.column("series").texts;
  for (size_t from = 0, to = 0; from < name.size(); from = to) {
    std::vector<covary::Index> rows;
    for (; to < name.size() && name[to] == name[from]; ++to) rows.push_back(covary::Index(to));
    if (rows.size() < 50 || rows.size() > 1000) continue;
    all.push_back({name[from], covary::internal::numbers(table, {"t"}, rows),
                   covary::internal::numbers(table, {"y"}, rows)});
  }
}

/// CO2 by decimal years: the days since 1970 over 365.25.
inline void add_co2(std::vector<RealSet>& all, const std::string& path) {
  const covary::Table table = covary::read_csv_file(path);
  const std::vector<covary::Index> rows = covary::internal::present_rows(table, {"Date", "CO2"});
  covary::Matrix x(std::ssize(rows), 1);
  covary::Index i = 0;
  for (const std::string& date : covary::internal::texts(table, "Date", rows)) {
    const std::chrono::year_month_day day{std::chrono::year(std::stoi(date.substr(0, 4))),
                                          std::chrono::month(unsigned(std::stoul(date.substr(5, 2)))),
                                          std::chrono::day(unsigned(std::stoul(date.substr(8, 2))))};
    x(i++, 0) = 1970 + double(std::chrono::sys_days(day).time_since_epoch().count()) / 365.25;
  }
  all.push_back({"co2", x, covary::internal::numbers(table, {"CO2"}, rows)});
}

/// All of them, the smallest first; empty without the data folder.
inline std::vector<RealSet> real_sets(const Options& o) {
  const std::string classic = o.get("data") + "/classic/";
  std::vector<RealSet> all;
  if (!std::filesystem::exists(classic)) return all;
  add_series(all, classic + "tsdl_gpss_series.csv.gz");
  add_co2(all, classic + "co2_maunaloa_monthly.csv");
  const covary::Table mcycle = covary::read_csv_file(classic + "mcycle.csv");
  const std::vector<covary::Index> rows = covary::internal::present_rows(mcycle, mcycle.names());
  all.push_back({"motorcycle", covary::internal::numbers(mcycle, {"times"}, rows),
                 covary::internal::numbers(mcycle, {"accel"}, rows)});
  for (const char* name : {"concreteslump", "servo", "machine", "yacht", "autompg", "housing", "forest",
                           "stock", "energy", "concrete"}) {
    const covary::Matrix both = read_gz(o.get("data") + "/uci/" + name + ".csv.gz");
    all.push_back({name, both.leftCols(both.cols() - 1), both.col(both.cols() - 1)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const RealSet& a, const RealSet& b) { return a.y.size() < b.y.size(); });
  return all;
}

}  // namespace bench
