#include <utility>

#include "covary/base/error.h"
#include "covary/table/table.h"
#include "table/csv/parser.h"
#include "table/csv/sniff.h"
#include "table/csv/source.h"

namespace covary {
using namespace internal;
namespace {

/// A model file is JSON, which would be read as one strange column name.
void refuse_model(const csv::Window& window) {
  if (window.view().starts_with(R"({"format":"covary model")"))
    throw Error(Problem::data, window.name() + ": this looks like a model file, expected a table");
}

}  // namespace

namespace csv {

/// A source, the layout found in it, and the table it is read into.
struct TableReading {
  TableReading(const Source& source, const CsvOptions& options)
      : window(unzipped(source), options.skip),
        table{.source = window.name()},
        parser(window, table, sniffed(options), options) {}

  Dialect sniffed(const CsvOptions& options) {
    refuse_model(window);
    Dialect dialect = sniff(window, options, table.notes);
    table.delimiter = dialect.delimiter;
    table.decimal = dialect.decimal;
    return dialect;
  }

  Window window;
  Table table;
  Parser parser;
};

}  // namespace csv

namespace {

Table read(const csv::Source& source, const CsvOptions& options) {
  csv::TableReading reading(source, options);
  reading.parser.read_all();
  return std::move(reading.table);
}

}  // namespace

Table read_csv(std::string_view text, const CsvOptions& options, const std::string& source) {
  return read(csv::text_source(text, source), options);
}

Table read_csv_file(const std::string& path, const CsvOptions& options) {
  return read(csv::file_source(path, Passes::many), options);
}

struct CsvReader::State : csv::TableReading {
  using TableReading::TableReading;
  csv::RawRows raw;
};

CsvReader::CsvReader(const std::string& path, const CsvOptions& options, Passes passes)
    : state_(std::make_unique<State>(csv::file_source(path, passes), options)) {}

CsvReader::CsvReader(std::string_view text, const CsvOptions& options, const std::string& source)
    : state_(std::make_unique<State>(csv::text_source(text, source), options)) {}

CsvReader::CsvReader(CsvReader&&) noexcept = default;
CsvReader& CsvReader::operator=(CsvReader&&) noexcept = default;
CsvReader::~CsvReader() = default;

const Table& CsvReader::table() const { return state_->table; }

std::string_view CsvReader::text(Index row) const { return state_->raw[row]; }

bool CsvReader::next(Index most) { return state_->parser.read_block(most, state_->raw); }

bool CsvReader::can_rewind() const { return state_->window.can_rewind(); }

void CsvReader::rewind() { state_->parser.rewind(); }

}  // namespace covary
