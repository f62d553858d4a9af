// One kernel expression in words, with draws from its prior where it has some along numbers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "covary/kernels/explain.h"
#include "pictures/chart.h"

namespace covary::cli {

/// What is to be drawn.
struct Draws {
  Index count = 3;
  std::uint64_t seed = 1;
  std::optional<Chart::Window> over;  // none: what shows the length-scales that were given
};

/// An expression as learning would see it, and as it is drawn.
struct Explained {
  Kernel<Row> kernel, drawable;      // with gaps, and without
  std::vector<std::string> columns;  // the names of the inputs
  bool stationary = true;
  Draws draws;
  Chart::Window over;
};

Explained explained_kernel(const std::string& expression, const Draws& draws);

std::string text_of(const Explained& e);
std::string json_of(const Explained& e);

/// An expression that reads categories, texts, sets, graphs or nodes: there is no axis to draw it along.
struct ExplainedRecords {
  std::string text;  // as learning would see it
  Term terms;
  std::vector<Parameter> parameters;  // with the names of their columns
  Schema columns;                     // by the kernels that read them
};
/// Nothing if the expression reads numbers alone.
std::optional<ExplainedRecords> explained_records(const std::string& expression);

std::string text_of(const ExplainedRecords& e);
std::string json_of(const ExplainedRecords& e);
/// "text and categories"
std::string reads_of(const ExplainedRecords& e);

/// "text", "sets", "nodes of a network", ...: what a column of this type holds.
std::string holds(ColumnType type);

/// Mean, 95 % band and draws along each input.
Figure drawn(const Explained& e);

}  // namespace covary::cli
