// What the tests of CSV share: texts that are read, and what an error says.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "covary/base/error.h"
#include "covary/table/table.h"

namespace covary::csv_test {

using Strings = std::vector<std::string>;
using Doubles = std::vector<double>;

/// "data: what" if `act` throws that, else "no error".
inline std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& e) {
    return (e.problem() == Problem::data    ? "data: "
            : e.problem() == Problem::usage ? "usage: "
                                            : "other: ") +
           std::string(e.what());
  }
  return "no error";
}

inline std::string read_error(std::string_view text, const CsvOptions& options = {}) {
  return error_of([&] { read_csv(text, options, "f.csv"); });
}

/// The error of asking for column `name` as numbers.
inline std::string number_error(std::string_view text, const std::string& name,
                                const CsvOptions& options = {}) {
  return error_of([&] {
    const Table t = read_csv(text, options, "f.csv");
    internal::numbers(t, {name}, internal::complete_rows(t, {name}, Missing::error));
  });
}

inline std::vector<double> values(std::string_view text, std::string_view name,
                                  const CsvOptions& options = {}) {
  return read_csv(text, options).column(name).values;
}

}  // namespace covary::csv_test
