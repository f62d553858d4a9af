// The prior correlations of the rows as a matrix, similar rows side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "covary/base/random.h"
#include "pictures/level_axis.h"
#include "plots/plot.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr Index most_rows = 60;

using Chain = std::vector<Index>;

double mean_correlation(const Matrix& r, const Chain& a, const Chain& b) { return r(a, b).mean(); }

/// a and b end to end, each turned so that the ends that meet are the most alike.
Chain joined(const Matrix& r, Chain a, Chain b) {
  const double inner[2][2] = {{r(a.back(), b.front()), r(a.back(), b.back())},
                              {r(a.front(), b.front()), r(a.front(), b.back())}};
  int turn_a = 0, turn_b = 0;
  for (const int i : {0, 1})
    for (const int j : {0, 1})
      if (inner[i][j] > inner[turn_a][turn_b]) turn_a = i, turn_b = j;
  if (turn_a == 1) std::reverse(a.begin(), a.end());
  if (turn_b == 1) std::reverse(b.begin(), b.end());
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The order of average-linkage clustering: the two chains with the largest mean correlation are joined until one is
/// left. O(n^4) for n rows of a picture.
Chain by_similarity(const Matrix& r) {
  std::vector<Chain> chains;
  for (Index i = 0; i < r.rows(); ++i) chains.push_back({i});
  while (chains.size() > 1) {
    size_t best_i = 0, best_j = 1;
    double best = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < chains.size(); ++i)
      for (size_t j = i + 1; j < chains.size(); ++j)
        if (const double mean = mean_correlation(r, chains[i], chains[j]); mean > best)
          best = mean, best_i = i, best_j = j;
    chains[best_i] = joined(r, std::move(chains[best_i]), std::move(chains[best_j]));
    chains.erase(chains.begin() + std::ptrdiff_t(best_j));
  }
  return chains.front();
}

/// The values of the one input, unless it is a graph or they are too long to be told apart; else what the rows are
/// called.
std::vector<std::string> names_of(const FittedModel& m, const Schema& schema,
                                  const std::vector<Index>& rows) {
  const Lettering letters;
  std::vector<std::string> values, names;
  for (const Index row : rows) {
    values.push_back(schema.text(0, m->x(row, 0)));
    names.push_back(m->row_name(row));
  }
  const auto different = [](const std::vector<std::string>& all) {
    return double(std::set<std::string>(all.begin(), all.end()).size());
  };
  const bool told_apart =
      different(shortened_apart(values, longest_name * letters.size, letters)) >= 0.75 * different(values);
  return schema.size() == 1 && schema[0].type != ColumnType::graph && told_apart ? values : names;
}

Matrix correlations(const Kernel<Row>& kernel, const Matrix& x) {
  const Matrix k = kernel.cross(x, x);
  const Vector inverse = k.diagonal().cwiseMax(std::numeric_limits<double>::min()).cwiseSqrt().cwiseInverse();
  return inverse.asDiagonal() * k * inverse.asDiagonal();
}

}  // namespace

MatrixFigure kernel_figure(const FittedModel& m, const PlotOptions& o) {
  const Schema schema = inputs_of(m);
  const Index n = m->x.rows();
  const std::vector<Index> drawn = Random(1).subset(n, std::min(n, most_rows));
  const Matrix x = m->x(drawn, Eigen::all);
  const Matrix r = correlations(m.process(o.threads).kernel(), x);
  if (!r.allFinite()) throw Error(Problem::numerical, "a picture of numbers this large cannot be drawn");
  const Chain order = by_similarity(r);
  MatrixFigure figure{
      o.title, "prior correlation of f", {},
      {},      r(order, order),          {std::min(0.9, std::floor(10 * r.minCoeff()) / 10), 1}};
  if (o.title.empty())
    figure.title = fmt::format("{}: prior correlations of {}", m->target, counted(std::ssize(drawn), "row"));
  figure.notes.push_back("Kernel " + internal::rounded_text(m->kernel));
  figure.notes.emplace_back(
      "Rows are in the order of average-linkage clustering: similar ones stand side by side.");
  if (std::ssize(drawn) < n)
    figure.notes.push_back(fmt::format("Of the {} rows a random {} are drawn.", n, drawn.size()));
  const std::vector<std::string> names = names_of(m, schema, drawn);
  for (const Index i : order) figure.names.push_back(names[size_t(i)]);
  return figure;
}

}  // namespace covary::cli
