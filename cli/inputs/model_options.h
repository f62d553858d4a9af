// What fit, check and compare share: the table, the model asked for, and how it is learned.
#pragma once
#include <string>
#include <vector>

#include "covary/model/model_file.h"
#include "covary/model/records.h"
#include "covary/table/table.h"
#include "inputs/tables.h"
#include "output.h"

namespace CLI {
class App;
}

namespace covary::cli {

/// The options as typed.
struct ModelArguments {
  std::string data, target, features;
  std::string model = "gp", kernel = "auto", mean = "constant", noise = "learn";
  std::string basis, penalty = "leave-one-out", prior_sd = "learn", intercept = "yes", standardize = "yes";
  std::string inference = "auto", device = "cpu";
  std::string side = "auto", undetermined = "smallest";  // of the linear family
  std::string prior = "weak", objective = "evidence", missing = "error";
  std::vector<std::string> types;  // COLUMN=TYPE
  std::string graph;               // the table of a network's edges
  Schema schema;                   // of another table that this one goes with; empty: none
  CsvArguments csv;
  FitOptions options;
};

/// The help of --target, --kernel and --mean.
extern const char* const about_target;
extern const char* const about_kernel;
extern const char* const about_mean;
extern const char* const about_basis;

/// --target with this help (null: the verb has its own), --features, --missing, and how the table is laid
/// out.
void add_table_options(CLI::App& verb, ModelArguments& a, const char* target = about_target);
/// --type and --graph.
void add_type_options(CLI::App& verb, std::vector<std::string>& types, std::string& graph);
/// The network of --graph; null if none was given.
std::shared_ptr<const Network> network_in(const std::string& path, const CsvArguments& csv,
                                          Messages& messages);
/// --noise.
void add_noise_option(CLI::App& verb, ModelArguments& a, bool by_row = true);
/// --intercept, --penalty, --prior-sd, --standardize, --side, --undetermined.
void add_linear_options(CLI::App& verb, ModelArguments& a);
/// --model.
void add_model_option(CLI::App& verb, ModelArguments& a);
/// An option that does not apply to this kind of model is a usage error.
void check_model_options(const CLI::App& verb, const std::string& model);
/// --inference, --prior, --objective, --starts, --seed, --threads, --device, --max-seconds.
void add_learning_options(CLI::App& verb, ModelArguments& a);
/// The options that specify one model: all of the above, --kernel, --mean and --basis.
void add_request_options(CLI::App& verb, ModelArguments& a);

/// Rows of longer tables are called by their number, as a model without names of rows has them.
constexpr Index most_named_rows = 100000;

/// The table as a model sees it.
struct Selection {
  std::vector<std::string> features;
  Schema schema;  // of the features
  Matrix x;
  Vector y;
  Noise noise;
  std::vector<Index> rows;         // of the table
  std::vector<std::string> names;  // of the rows: "line 17 (Oslo)"; none of more than most_named_rows
  TargetColumn target;             // the column of y, and what the model is of

  std::string row_name(Index i) const {
    return names.empty() ? "row " + std::to_string(i + 1) : names[static_cast<size_t>(i)];
  }
  TrainingData data() const& { return {x, y, features, target.column, noise, names}; }
  TrainingData data() && {
    return {std::move(x), std::move(y), features, target.column, std::move(noise), std::move(names)};
  }
};

/// Reads the table and takes the columns asked for out of it; notes what was assumed, left out and dropped.
struct Training {
  Table table;
  Selection selection;
};
Training read_training(const ModelArguments& a, Messages& messages);
/// The same of a table that was read.
Training training_of(Table table, const ModelArguments& a, Messages& messages);

/// Throws Problem::data, with the line, at the first y that the transform does not take.
void check_domain(const TargetColumn& target, const Table& table, const std::vector<Index>& rows,
                  const Vector& y);

/// Throws Problem::data, with the line, at the first row that the kernel asked for cannot read.
void check_readable_rows(const Training& t, const ModelArguments& a);

/// The requested process over these columns. Throws for a kernel or mean that cannot be parsed.
Model<Row> model_of(const Selection& s, const std::string& kernel, const std::string& mean);

/// Throws for expressions that cannot be parsed, before any data are read.
void check_request(const ModelArguments& a);

/// The kernel that was typed, or the default for these columns.
std::string kernel_of(const ModelArguments& a, const Selection& s);

/// Progress goes to `messages`, which must outlive them.
FitOptions options_of(const ModelArguments& a, const Selection& s, Messages& messages);

/// The request of a fit without the parts that depend on the table.
Request request_of(const ModelArguments& a);
/// The complete request.
Request request_of(const ModelArguments& a, const Selection& s);

}  // namespace covary::cli
