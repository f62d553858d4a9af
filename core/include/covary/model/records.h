// Tables as records: the types of their columns, and their rows as numbers and codes.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "covary/kernels/function.h"
#include "covary/table/table.h"

namespace covary {

/// The declared type of a column, and the words in parentheses behind it.
struct TypeRequest {
  std::string column;
  ColumnType type = ColumnType::number;
  std::vector<std::string> words = {};  // date(dmy); category(small, medium, large), the order of its levels;
                                        // category(NA): a missing cell is a level too
};
/// "Date=date(dmy)". Throws Problem::usage for what cannot be read.
TypeRequest parse_type(const std::string& text);

/// The types of these columns: as requested, else by their cells. Whole numbers, numbers; yes and no, true and
/// false: boolean; dates in one format; lists [...] and a;b;c: sets; {"nodes": ..., "edges": ...}: graphs; nodes of
/// the network, if there is one; other texts are categories if there are at most half as many different ones as
/// rows and no more than 100, else text. Throws Problem::data with the line of a cell that does not fit: a date
/// that cannot be, a second format in one column, a few cells among numbers that are not numbers.
Schema schema_of(const Table& table, const std::vector<std::string>& columns,
                 const std::vector<TypeRequest>& requests = {},
                 const std::shared_ptr<const Network>& network = nullptr);

/// rows x columns: numbers, dates from 1970-01-01, codes. Texts that are new get codes of their own. Throws
/// Problem::data with line and column for a cell that is not of its type.
Matrix encoded(const Table& table, const Schema& schema, const std::vector<Index>& rows);

/// A network from a table of edges: the names of two nodes, and a weight if there is a third column. Throws
/// Problem::data with the line of an edge that cannot be.
std::shared_ptr<const Network> read_network(const Table& edges);

namespace internal {
/// Throws Problem::data if there is a network and no column of the schema holds its nodes, with the line of the first
/// cell that is none in a column where most are.
void check_nodes(const Table& table, const Schema& schema, const std::shared_ptr<const Network>& network);

/// What a kernel of texts costs on the rows of a column: steps of a nanosecond or so for one covariance matrix.
struct TextCost {
  Index column = 0;
  std::string kernel;  // as it is printed
  Index texts = 0;     // different ones
  size_t longest = 0;  // bytes
  double steps = 0;
  bool once = false;  // nothing to learn: the matrix is kept
};
/// Of each kernel of texts in the expression. Counted, not measured: nothing is evaluated.
std::vector<TextCost> text_costs(const Expression& kernel, const Schema& schema, const Rows& x);

/// Numbers alone, so that nothing has to be kept of the types.
bool is_plain(const Schema& schema);

/// Throws Problem::data, with line and column, for the first of these rows (x, encoded) that the kernel cannot read:
/// a letter that is no amino acid, a sequence that is not as long as that of `beside` (1 x d), a latitude above 90.
/// O(n) values k(x_i, x_i).
void check_readable(const Kernel<Row>& kernel, const Table& table, const Schema& schema,
                    const std::vector<Index>& rows, const Rows& x, const Rows& beside);

/// `numbers` of the columns of numbers, times a kernel for each other type that there is.
std::string default_kernel(const Schema& schema, const std::string& numbers = "matern52()");

/// Those of all columns that are inputs where none are named: numbers and dates, and what the kernel reads besides.
/// Without a kernel (""): categories and nodes.
std::vector<Index> input_columns(const Schema& all, const std::string& kernel,
                                 const Functions& functions = {});

/// The columns whose missing cells are no level of theirs: rows that lack one of these are incomplete.
std::vector<std::string> required_columns(const Schema& schema);

/// The texts of column k that have codes in `now` and none in `then`, each once, in the order of their codes.
std::vector<std::string> new_texts(const Schema& schema, Index k, const Rows& then, const Rows& now);

/// "number", "category of 4 levels", "date from 1958-03-01 to 2019-12-01, in days": what a summary says of column k
/// of x.
std::string type_summary(const Schema& schema, Index k, const Rows& x);
}  // namespace internal

}  // namespace covary
