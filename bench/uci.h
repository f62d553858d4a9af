// Regression sets from the data folder: uci/NAME.csv.gz, target last, and their standard splits.
#pragma once
#include <cmath>

#include "covary/table.h"
#include "measure.h"

namespace bench {

struct Training {
  covary::Matrix x;  // n x d, standardised
  covary::Vector y;  // n, standardised
};

inline bool have_set(const Options& o, const std::string& name) {
  return std::filesystem::exists(o.get("data") + "/uci/" + name + ".csv.gz");
}

inline covary::Matrix read_gz(const std::string& path) {
  covary::CsvOptions layout;
  layout.delimiter = ',', layout.decimal = '.', layout.header = covary::CsvOptions::Header::no;
  const covary::Table table = covary::read_csv_file(path, layout);
  const std::vector<std::string> names = table.names();
  return covary::numbers(table, names, covary::complete_rows(table, names, covary::Missing::error));
}

/// The rows that are not in test set 0, standardised by their own mean and standard deviation (divisor n).
inline Training training(const Options& o, const std::string& name) {
  using covary::Index;
  const covary::Matrix all = read_gz(o.get("data") + "/uci/" + name + ".csv.gz");
  const covary::Matrix mask = read_gz(o.get("data") + "/uci_masks/" + name + ".test_mask.csv.gz");
  std::vector<Index> rows;
  for (Index i = 0; i < all.rows(); ++i)
    if (mask(i, 0) == 0) rows.push_back(i);
  covary::Matrix m = all(rows, Eigen::all);
  for (Index k = 0; k < m.cols(); ++k) {
    m.col(k).array() -= m.col(k).mean();
    const double deviation = std::sqrt(m.col(k).squaredNorm() / double(m.rows()));
    if (deviation > 0) m.col(k) /= deviation;
  }
  return {m.leftCols(m.cols() - 1), m.col(m.cols() - 1)};
}

}  // namespace bench
