#include "inputs/model_inputs.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/base/error.h"
#include "words.h"

namespace covary::cli {

void check_columns(const Table& table, const FittedModel& model) {
  for (const std::string& name : model->used_features()) {
    if (table.find(name) != nullptr) continue;
    const std::string hint = internal::did_you_mean(name, table.names());
    const char* const later = table.names().size() == 1
                                  ? "; if titles or comments stand before the header, --skip N or --comment "
                                    "CHAR leaves them out"
                                  : "";
    throw Error(Problem::data,
                fmt::format("{} has no column '{}', which the model needs{}{}", table.source, name,
                            hint.empty() ? "; it has " + listed(table.names()) : hint, later));
  }
}

Matrix model_inputs(const Table& table, const FittedModel& model, const std::vector<Index>& rows) {
  if (model->ignored.empty()) return internal::numbers(table, model->features, rows);
  const std::vector<std::string> used = model->used_features();
  const Matrix needed = internal::numbers(table, used, rows);
  Matrix x(std::ssize(rows), std::ssize(model->features));
  for (const auto& [column, value] : model->held_columns()) {
    x.col(column).setConstant(value);
    const Column* c = table.find(model->features[static_cast<size_t>(column)]);
    if (c == nullptr || c->kind == Column::Kind::text) continue;
    for (Index i = 0; i < x.rows(); ++i) {
      const double found = c->values[static_cast<size_t>(rows[static_cast<size_t>(i)])];
      if (std::isfinite(found)) x(i, column) = found;
    }
  }
  Index next = 0;
  for (size_t k = 0; k < model->features.size(); ++k)
    if (std::cmp_less(next, used.size()) && model->features[k] == used[static_cast<size_t>(next)])
      x.col(Index(k)) = needed.col(next++);
  return x;
}

IgnoredColumns::IgnoredColumns(const FittedModel& model)
    : model_(model), held_(model->held_columns()), differ_(held_.size(), 0) {}

void IgnoredColumns::see(const Matrix& x) {
  for (size_t i = 0; i < held_.size(); ++i)
    differ_[i] += (x.col(held_[i].column).array() != held_[i].value).count();
}

void IgnoredColumns::note(const std::string& source, Messages& messages) const {
  for (size_t i = 0; i < held_.size(); ++i) {
    if (differ_[i] == 0) continue;
    messages.note(fmt::format(
        "column '{}' is ignored: it was {} in every row that the model was fitted to, and {} of "
        "{} {} another "
        "value",
        model_->features[static_cast<size_t>(held_[i].column)], internal::format_number(held_[i].value),
        counted(differ_[i], "row"), source, differ_[i] == 1 ? "has" : "have"));
  }
}

}  // namespace covary::cli
