// Models to be drawn, and what every picture of one must be.
#pragma once
#include <cmath>

#include "pictures/read_svg.h"
#include "run_command.h"

namespace covary::cli {

using Strings = std::vector<std::string>;

/// n rows of d inputs in (0, 6) and y, in full precision.
inline std::string table(const Strings& inputs, const std::string& target, int n) {
  std::ostringstream out;
  out.precision(17);
  for (const std::string& name : inputs) out << '"' << name << "\",";
  out << '"' << target << "\"\n";
  for (int i = 0; i < n; ++i) {
    double y = 0.05 * std::sin(1000.0 * i);
    for (size_t k = 0; k < inputs.size(); ++k) {
      const double x = std::fmod((i + 1) * (0.7548776662 + 0.1234567 * double(k)), 1) * 6;
      y += std::sin(x) / double(k + 1);
      out << x << ',';
    }
    out << y << '\n';
  }
  return out.str();
}

class Plot : public Command {
 protected:
  /// A model of table(inputs, target, n) in m.json.
  void model(const Strings& inputs, const std::string& target = "y", int n = 20) {
    fitted({file("d.csv", table(inputs, target, n)), "--target", target, "--starts", "1", "--kernel",
            "1 * matern52(lengthscale=2)", "-o", "m.json"});
  }
  /// A linear, ridge or bayes model of it in m.json.
  void weights(const std::string& model, const Strings& inputs, Strings more = {}, int n = 20) {
    more.insert(more.begin(),
                {file("d.csv", table(inputs, "y", n)), "--target", "y", "--model", model, "-o", "m.json"});
    fitted(more);
  }
  std::string plot(Strings more = {}) {
    more.insert(more.begin(), {"plot", "m.json"});
    const Outcome o = covary(more);
    EXPECT_EQ(o.code, 0) << o.err;
    for (const char* word : {"nan", "inf", "<script", "<style", "class="})
      EXPECT_EQ(o.out.find(word), std::string::npos) << word;
    EXPECT_TRUE(o.out.ends_with("</svg>\n"));
    return o.out;
  }
  /// At 400 and at 1200 pixels nothing is cut off and nothing touches.
  void expect_readable_at_any_width(Strings more) {
    for (const char* width : {"400", "760", "1200"}) {
      SCOPED_TRACE(width);
      Strings all = more;
      all.insert(all.end(), {"--width", width});
      expect_readable(plot(all));
    }
  }
};

}  // namespace covary::cli
