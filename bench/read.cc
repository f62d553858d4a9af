// How fast is a table read, and what memory does that take? One million rows of ten full-precision doubles,
// on one core; and the same file predicted by the command, which must not hold it.
//
//   read [--quick] [--rows 1000000] [--columns 10] [--repeats 3]
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "covary/base/random.h"
#include "covary/table/table.h"
#include "measure.h"

namespace {

using covary::Index;

/// A table of standard normal numbers, in blocks, so that this program stays small too.
void write_table(const std::string& path, Index rows, Index columns) {
  std::ofstream out(path, std::ios::binary);
  covary::Random rng(1);
  std::string text;
  for (Index j = 0; j < columns; ++j) text += (j > 0 ? ",x" : "x") + std::to_string(j + 1);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      text += j > 0 ? ',' : '\n';
      text += covary::internal::format_number(rng.normal());
    }
    if (text.size() > (1 << 20)) out << text, text.clear();
  }
  out << text << '\n';
}

/// Reads the table once in this process, and says what that took.
void read_once(const std::string& path) {
  bench::reset_peak();
  const double before = bench::memory_mb("VmRSS");
  Index rows = 0, columns = 0;
  double peak = 0;
  const double cpu = bench::processor_seconds();
  const double took = bench::seconds([&] {
    const covary::Table t = covary::read_csv_file(path);
    rows = t.rows(), columns = std::ssize(t.columns);
    peak = bench::memory_mb("VmHWM");
  });
  fmt::print("{}\n", nlohmann::json{{"seconds", took},
                                    {"cpu", bench::processor_seconds() - cpu},
                                    {"growth", peak - before},
                                    {"doubles", 8e-6 * double(rows) * double(columns)}}
                         .dump());
}

/// Seconds, and the peak memory in MB, of a command.
struct Cost {
  double seconds = 0, peak = 0;
};

Cost cost_of(const std::string& command) {
  Cost c;
  struct rusage used {};
  int status = 0;
  c.seconds = bench::seconds([&] {
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    ::wait4(child, &status, 0, &used);
  });
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("this failed: " + command);
  c.peak = double(used.ru_maxrss) * 1024 / 1e6;
  return c;
}

#ifdef COVARY_COMMAND
/// A model of 50 rows, learned from nothing: every parameter is given.
std::string small_model(const std::string& folder, Index columns) {
  const std::string data = folder + "/read-fit.csv", model = folder + "/read-model.json";
  write_table(data, 50, columns + 1);
  (void)cost_of(
      fmt::format("{} fit {} --target x{} --kernel 'fixed(matern52(lengthscale=3))' --noise 0.1 -q "
                  "-o {} > /dev/null",
                  bench::quoted(COVARY_COMMAND), bench::quoted(data), columns + 1, bench::quoted(model)));
  return model;
}

void predict_file(const bench::Options& o, const std::string& path, Index rows, Index columns) {
  const std::string folder = bench::scratch(o), few = folder + "/read-few.csv";
  const std::string model = small_model(folder, columns);
  write_table(few, 1000, columns);
  const auto command = [&](const std::string& points) {
    return fmt::format("{} predict {} {} -q --threads 1 -o /dev/null", bench::quoted(COVARY_COMMAND),
                       bench::quoted(model), points);
  };
  const Cost little = cost_of(command(bench::quoted(few))), all = cost_of(command(bench::quoted(path)));
  const Cost pipe = cost_of("cat " + bench::quoted(path) + " | " + command("-")),
             json = cost_of(command(bench::quoted(path)) + " --json");
  fmt::print("{:>24} {:>10} {:>12} {:>10}\n", "covary predict", "seconds", "rows/s", "peak MB");
  for (const auto& [name, c, n] : {std::tuple{"1000 rows", little, Index{1000}},
                                   {"all rows", all, rows},
                                   {"through a pipe", pipe, rows},
                                   {"as JSON", json, rows}})
    fmt::print("{:>24} {:>10.2f} {:>12.0f} {:>10.1f}\n", name, c.seconds, double(n) / c.seconds, c.peak);
  const double growth = std::max({all.peak, pipe.peak, json.peak}) - little.peak;
  bench::verdict(o, fmt::format("covary predict of {} rows: memory over 1000 rows", rows),
                 fmt::format("{:.1f} MB", growth), "< 50 MB", growth < 50);
}
#else
void predict_file(const bench::Options& o, const std::string&, Index, Index) {
  bench::left_out(o, "covary predict of many rows: memory", "the command was not built");
}
#endif

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"rows", "columns", "repeats", "once"});
    if (o.has("once")) return read_once(o.get("once"));
    const Index rows = o.number("rows", o.has("quick") ? 100'000 : 1'000'000),
                columns = o.number("columns", 10);
    const std::string path = bench::scratch(o) + "/read.csv";
    write_table(path, rows, columns);
    const double size = double(std::filesystem::file_size(path)) / 1e6;
    fmt::print("{} rows of {} doubles, {:.0f} MB\n{:>12} {:>12} {:>12} {:>14} {:>14}\n", rows, columns, size,
               "seconds", "MB/s", "by cpu", "memory MB", "over doubles");
    std::vector<double> rates, ratios;
    for (int i = 0; i < o.number("repeats", 3); ++i) {
      const nlohmann::json j = bench::self("--once " + bench::quoted(path));
      rates.push_back(size / j.at("seconds").get<double>());
      ratios.push_back(j.at("growth").get<double>() / j.at("doubles").get<double>());
      fmt::print("{:>12.3f} {:>12.0f} {:>12.0f} {:>14.1f} {:>13.2f}x\n", j.at("seconds").get<double>(),
                 rates.back(), size / j.at("cpu").get<double>(), j.at("growth").get<double>(), ratios.back());
    }
    bench::verdict(o, fmt::format("reading {} x {} doubles from CSV, one core", rows, columns),
                   fmt::format("{:.0f} MB/s", bench::median(rates)), ">= 150 MB/s",
                   bench::median(rates) >= 150);
    bench::verdict(o, fmt::format("reading {} x {} doubles: memory over the doubles", rows, columns),
                   fmt::format("{:.2f}x", bench::median(ratios)), "<= 2x", bench::median(ratios) <= 2);
    predict_file(o, path, rows, columns);
    std::filesystem::remove(path);
  });
}
