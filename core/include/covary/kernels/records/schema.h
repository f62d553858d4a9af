// Records: points with columns of several types, numbers, dates, categories, texts, sets and graphs.
//
// A record is a row of numbers. A number is itself, a date the days (a date with a time of day: the seconds) from
// 1970-01-01, a boolean 0 or 1; a category, text, set or graph is its code in the dictionary of its column. The
// schema says which column is which, so everything that works on rows works on records, and rows of numbers
// alone are what they were. Kernels over texts, sets and graphs read a column through its dictionary:
//
//   Schema schema({{"temp"}, {"catalyst", ColumnType::category}, {"sequence", ColumnType::text}});
//   Matrix x(2, 3);
//   x << 20.5, schema.code(1, "Pd"), schema.code(2, "GATTACA"), ...
//   Kernel<Row> k = parse("on(temp, se()) * on(catalyst, category()) + on(sequence, spectrum(k=3))", schema);
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "covary/base/dates.h"
#include "covary/base/error.h"
#include "covary/kernels/records/dictionary.h"

namespace covary {

struct Network;  // kernels/nodes/network.h

/// A node is one of the network that was given beside the table.
enum class ColumnType { number, integer, boolean, date, datetime, category, text, set, graph, node };

/// "number", "date", ...: as --type takes it.
std::string text_of(ColumnType type);
namespace internal {
/// All words of column types, in the order of the types.
const std::vector<std::string>& column_type_words();
bool holds_numbers(ColumnType type);  // numbers, integers, booleans and dates: what kernels of numbers read
bool holds_dates(ColumnType type);
}  // namespace internal

/// One column of records.
struct TypedColumn {
  std::string name;
  ColumnType type = ColumnType::number;
  std::shared_ptr<internal::Dictionary> codes = {};  // null of numbers
  internal::DateFormat format = {};                  // of dates, in tables to come
  std::shared_ptr<const Network> network = {};       // of nodes
  bool missing_level = false;                        // of categories: a missing cell is the level NA
};

/// The columns of records, in order. Copies share the dictionaries.
class Schema {
 public:
  Schema() = default;
  /// Columns that are no numbers get a dictionary unless they have one.
  Schema(std::vector<TypedColumn> columns);  // NOLINT(google-explicit-constructor): meant to convert
  /// Columns of numbers.
  Schema(const std::vector<std::string>& names);  // NOLINT(google-explicit-constructor): meant to convert

  const std::vector<TypedColumn>& columns() const { return columns_; }
  const TypedColumn& operator[](Index k) const { return columns_[static_cast<size_t>(k)]; }
  Index size() const { return std::ssize(columns_); }
  std::vector<std::string> names() const;
  bool all_numbers() const;  // no column has codes
  Schema only(const std::vector<Index>& columns) const;
  /// The same columns with dictionaries of their own.
  Schema copied() const;

  /// The code of a cell in column k, which must hold texts, sets or graphs. Equal sets have equal codes. Throws
  /// Problem::data if it is no such thing, or no node of the network.
  double code(Index k, const std::string& cell) const;
  /// A value of column k as a table has it: a date, the text of a code, a number.
  std::string text(Index k, double value) const;

 private:
  std::vector<TypedColumn> columns_;
};

}  // namespace covary
