// How predictions are written: the rows as they came with columns added, or JSON; and their covariance.
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "covary/predictive/prediction.h"
#include "covary/table/table.h"
#include "output.h"

namespace covary::cli {

/// A central interval, in columns of these names.
struct Band {
  double percent = 95;
  std::optional<double> calibrated = {};  // its ends are at(-+ this), in place of those of the distribution
  std::string lower = "lower", upper = "upper";
  Interval of(const Prediction& prediction) const;
};

/// What is written beside the input columns.
struct Layout {
  std::string mean = "mean", sd = "sd", median = "";  // no median: it is the mean
  std::vector<Band> bands;

  std::vector<std::string> names() const;
  /// The values under those names: m x names.
  Matrix values(const Prediction& prediction) const;
};

/// The layout of `--interval 50,95`.
Layout layout(const std::string& intervals);

/// Output names that are input names too get the first of _2, _3, ... that makes all of them new.
void avoid_collisions(Layout& l, const Table& points, Messages& messages);

/// One row of output after another, those of the block that `points` read last.
class Writer {
 public:
  Writer(Output& out, const CsvReader& points, const Layout& layout)
      : out_(out), points_(points), layout_(layout) {}
  virtual ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  virtual void begin() = 0;
  virtual void row(Index i, const Eigen::Ref<const Vector>& values) = 0;
  virtual void end() = 0;

 protected:
  Output& out_;
  const CsvReader& points_;
  const Layout& layout_;
};

/// The row as it came, then the predictions, separated and with decimals as in the input.
std::unique_ptr<Writer> csv_writer(Output& out, const CsvReader& points, const Layout& layout);

/// {HEAD, "predictions": [{"x": 8, "mean": ...}, ...]}
std::unique_ptr<Writer> json_writer(Output& out, const CsvReader& points, const Layout& layout,
                                    nlohmann::ordered_json head);

/// A square matrix with the header row_1, ..., row_m, separated and with decimals as in `like`.
void write_square(Output& out, const Matrix& values, const Table& like);

}  // namespace covary::cli
