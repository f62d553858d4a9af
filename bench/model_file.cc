// A saved model of n rows, from the file to the first answer: binary, with its factor, beside JSON, which is
// conditioned anew, and beside reading the bytes of the file alone. Exact, Matern-5/2.
//
//   model_file [--quick] [--n 8000]
#include "covary/model/model_file.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>

#include "covary/base/random.h"
#include "covary/base/runtime.h"
#include "measure.h"

namespace {

covary::FittedModel model(covary::Index n) {
  covary::Random rng(3);
  covary::Request request;
  request.kernel = "fixed(matern52(lengthscale=0.4))", request.noise = "0.01", request.mean = "constant";
  const covary::Matrix x = rng.normal(n, 3);
  const covary::Vector y = x.col(0).array().sin() + 0.1 * rng.normal(n, 1).array();
  return covary::fit(request, {x, y, {"a", "b", "c"}, "y", covary::Noise::of(0.01)});
}

double read_alone(const std::string& path) {
  std::vector<char> block(1 << 20);
  return bench::seconds([&] {
    std::ifstream in(path, std::ios::binary);
    while (in.read(block.data(), std::ssize(block))) {
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"n"});
    const covary::Index n = o.number("n", o.has("quick") ? 2000 : 8000);
    fmt::print("{} rows\n{}\n", n, covary::internal::machine().text());
    const covary::FittedModel m = model(n);
    const covary::Matrix at = m->x.topRows(10).array() + 0.01;
    const covary::Prediction before = m.predict(at);
    fmt::print("{:<10} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "", "MB", "save s", "+peak MB", "answer s",
               "bytes s");
    double answer[2] = {};
    for (const bool binary : {true, false}) {
      const std::string path = bench::scratch(o) + (binary ? "/model.covary" : "/model.json");
      bench::reset_peak();
      const double held = bench::memory_mb("VmRSS");
      const double saved = bench::seconds([&] { covary::save_model(m, path); });
      const double more = bench::memory_mb("VmHWM") - held;
      const double bytes = read_alone(path);
      covary::Prediction after;
      answer[binary] = bench::seconds([&] { after = covary::load_model(path).predict(at); });
      if (after.mean != before.mean || after.sd != before.sd) throw std::runtime_error("other bits");
      fmt::print("{:<10} {:>9.1f} {:>9.3f} {:>9.1f} {:>9.3f} {:>9.3f}\n", binary ? "binary" : "JSON",
                 double(std::filesystem::file_size(path)) / 1e6, saved, more, answer[binary], bytes);
      std::filesystem::remove(path);
    }
    bench::verdict(o, fmt::format("first answer of a saved model of {} rows, the same bits", n),
                   fmt::format("{:.3f} s", answer[true]), "< 0.5 s", answer[true] < 0.5);
  });
}
