// Rooms on a grid with past and later readings, as covary place is tested on.
#pragma once
#include <cmath>

#include "run_command.h"

namespace covary::cli {

using Strings = std::vector<std::string>;

inline const std::string kernel = "1.5 * matern52(lengthscale=1.5)";

/// A name for place (i, j) of a grid.
inline std::string called(int i, int j) { return std::string(1, char('a' + i)) + std::to_string(j + 1); }

class Place : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::ostringstream rooms, readings, later;
    for (std::ostringstream* out : {&rooms, &readings, &later}) out->imbue(std::locale::classic());
    rooms << "name,x,y,euros,locked,floor\n";
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 4; ++j)
        rooms << called(i, j) << ',' << i << ',' << j << ',' << 10 + 5 * ((i + j) % 3) << ','
              << (i == 2 && j == 1 ? "yes" : "no") << ",floor" << j << '\n';
    table(readings, 0, 60), table(later, 60, 90);
    file("rooms.csv", rooms.str()), file("readings.csv", readings.str()), file("later.csv", later.str());
  }

  /// A column for each place, waves that pass over the grid and something of its own for each.
  static void table(std::ostringstream& out, int first, int end) {
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 4; ++j) out << (i + j ? "," : "") << called(i, j);
    out << '\n';
    for (int t = first; t < end; ++t) {
      for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 4; ++j)
          out << (i + j ? "," : "")
              << 20 + std::sin(0.7 * i + 0.31 * t) + 0.6 * std::cos(0.9 * j - 0.17 * t) +
                     0.3 * std::sin(1.3 * i * j + 0.83 * t) +
                     0.2 * std::sin(997.0 * (t + 1) * (4 * i + j + 1));
      out << '\n';
    }
  }

  Outcome place(Strings more) const {
    more.insert(more.begin(), {"place", path("rooms.csv")});
    return covary(more);
  }
  Strings names(const std::string& csv) const {
    Strings out;
    const auto rows = cells(csv);
    for (size_t i = 1; i < rows.size(); ++i) out.push_back(rows[i].at(1));
    return out;
  }
  Strings chosen(const Strings& more) const {
    const Outcome o = place(more);
    EXPECT_EQ(o.code, 0) << o.err;
    return names(o.out);
  }
};

}  // namespace covary::cli
