#include "inputs/model_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/base/error.h"
#include "covary/kernels/expression.h"
#include "covary/model/records.h"
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

void condition_on_rows(const FittedModel& model, int threads, Messages& messages) {
  constexpr Index many = 10000;
  if (model->y.size() >= many) messages.working(fmt::format("conditioning on {} rows", model->y.size()));
  if (model.process(threads).report().approximate)
    messages.note(fmt::format("approximate: predictions by {}; covary check MODEL compares it with exact()",
                              model->request.inference));
}

std::vector<std::string> needed_columns(const FittedModel& model) {
  std::vector<std::string> out = model->used_features();
  for (const TypedColumn& c : model->request.schema.columns())
    if (c.missing_level) std::erase(out, c.name);
  return out;
}

Column input_column(const FittedModel& model, Index k, const Matrix& x) {
  const Schema schema = internal::schema_of(model->request, model->features);
  Column out{.name = schema[k].name};
  if (!schema[k].codes && !internal::holds_dates(schema[k].type)) {
    out.values.assign(x.col(k).begin(), x.col(k).end());
    return out;
  }
  out.kind = Column::Kind::text;
  for (const double v : x.col(k)) out.texts.push_back(schema.text(k, v));
  return out;
}

namespace {

/// The columns that the model uses from the table, the ignored ones as they are there or as they were.
Matrix inputs_with_ignored(const Table& table, const FittedModel& model, const Schema& schema,
                           const std::vector<Index>& rows) {
  const std::vector<std::string> used = model->used_features();
  std::vector<Index> places;
  for (Index k = 0; k < schema.size(); ++k)
    if (std::count(used.begin(), used.end(), schema[k].name) > 0) places.push_back(k);
  const Matrix needed = encoded(table, schema.only(places), rows);
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

}  // namespace

Matrix model_inputs(const Table& table, const FittedModel& model, const std::vector<Index>& rows) {
  const Schema schema = internal::schema_of(model->request, model->features);
  Matrix x =
      model->ignored.empty() ? encoded(table, schema, rows) : inputs_with_ignored(table, model, schema, rows);
  if (!model->weights && model->x.rows() > 0)
    internal::check_readable(parse(model->kernel, schema), table, schema, rows, x, model->x.topRows(1));
  return x;
}

IgnoredColumns::IgnoredColumns(const FittedModel& model)
    : model_(model),
      held_(model->held_columns()),
      differ_(held_.size(), 0),
      unseen_(model->features.size()) {}

void IgnoredColumns::see(const Matrix& x) {
  for (size_t i = 0; i < held_.size(); ++i)
    differ_[i] += (x.col(held_[i].column).array() != held_[i].value).count();
  const Schema& schema = model_->request.schema;
  for (Index k = 0; k < schema.size(); ++k) {
    if (schema[k].type != ColumnType::category) continue;
    std::vector<std::string>& all = unseen_[static_cast<size_t>(k)];
    for (const std::string& text : internal::new_texts(schema, k, model_->x, x))
      if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  }
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
  for (size_t k = 0; k < unseen_.size(); ++k)
    if (!unseen_[k].empty())
      messages.note(
          fmt::format("column '{}' of {} has {} that the model has not seen: {}; each counts as a level of "
                      "its own, with the "
                      "correlation that the prior has between levels",
                      model_->features[k], source, counted(std::ssize(unseen_[k]), "category", "categories"),
                      listed(unseen_[k])));
}

}  // namespace covary::cli
