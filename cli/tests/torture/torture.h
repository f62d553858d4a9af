// What the tests of hostile inputs share. The numbers in their names are those of the list of such inputs.
#pragma once
#include <cmath>

#include "run_command.h"

namespace covary::cli {

using Strings = std::vector<std::string>;

/// x, y with x = offset + i / 4 and y = size * sin(x - offset), in full precision.
inline std::string wave(int n, double size = 1, double offset = 0) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(17);
  out << "x,y\n";
  for (int i = 0; i < n; ++i) out << offset + i / 4.0 << ',' << size * std::sin(i / 4.0) << '\n';
  return out.str();
}

class Torture : public Command {
 protected:
  Outcome fit(const std::string& csv, Strings more = {}) {
    Strings all{"fit", file("d.csv", csv), "--target", "y", "--starts", "2", "-o", "m.json"};
    all.insert(all.end(), more.begin(), more.end());
    return covary(all);
  }
  /// A model of wave(8), without learning, in m.json.
  void model() {
    const Outcome o = fit(wave(8), {"--kernel", "fixed(se(lengthscale=1))", "--noise", "0.01"});
    ASSERT_EQ(o.code, 0) << o.err;
  }
  Outcome predicted(const std::string& points, Strings more = {}) {
    Strings all{"predict", "m.json", file("p.csv", points)};
    all.insert(all.end(), more.begin(), more.end());
    return covary(all);
  }
  std::string predict(const std::string& points) {
    const Outcome o = predicted(points, {"-q"});
    EXPECT_EQ(o.code, 0) << o.err;
    return o.out;
  }
};

}  // namespace covary::cli
