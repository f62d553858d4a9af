// Regression sets from the data folder: uci/NAME.csv.gz, target last, and their standard splits.
#pragma once
#include <cmath>

#include "covary/table/table.h"
#include "measure.h"

namespace bench {

struct Rows {
  covary::Matrix x;  // n x d
  covary::Vector y;  // n
};

/// Both standardized by the mean and the standard deviation (divisor n) of the training rows.
struct Split {
  Rows train, test;
};

inline bool have_set(const Options& o, const std::string& name) {
  return std::filesystem::exists(o.get("data") + "/uci/" + name + ".csv.gz");
}

inline covary::Matrix read_gz(const std::string& path) {
  covary::CsvOptions layout;
  layout.delimiter = ',', layout.decimal = '.', layout.header = covary::CsvOptions::Header::no;
  const covary::Table table = covary::read_csv_file(path, layout);
  const std::vector<std::string> names = table.names();
  return covary::internal::numbers(table, names,
                                   covary::internal::complete_rows(table, names, covary::Missing::error));
}

/// Test set k of the standard ones, and the rows that are not in it.
inline Split split(const Options& o, const std::string& name, covary::Index k) {
  using covary::Index;
  covary::Matrix all = read_gz(o.get("data") + "/uci/" + name + ".csv.gz");
  const covary::Matrix mask = read_gz(o.get("data") + "/uci_masks/" + name + ".test_mask.csv.gz");
  std::vector<Index> train, test;
  for (Index i = 0; i < all.rows(); ++i) (mask(i, k) == 0 ? train : test).push_back(i);
  for (Index j = 0; j < all.cols(); ++j) {
    const covary::Vector column = all.col(j)(train);
    const double mean = column.mean();
    const double deviation = std::sqrt((column.array() - mean).square().mean());
    all.col(j).array() -= mean;
    if (deviation > 0) all.col(j) /= deviation;
  }
  const Index d = all.cols() - 1;
  const covary::Matrix in = all(train, Eigen::all), out = all(test, Eigen::all);
  return {{in.leftCols(d), in.col(d)}, {out.leftCols(d), out.col(d)}};
}

}  // namespace bench
