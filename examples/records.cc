// Records: a yield that depends on a number, a category and a sequence, in one kernel.
#include <covary/kernels/function.h>
#include <covary/learn/fit.h>

#include <cmath>
#include <iostream>

using namespace covary;

int main() {
  const Schema schema({{.name = "temp"},
                       {.name = "catalyst", .type = ColumnType::category},
                       {.name = "sequence", .type = ColumnType::text}});
  const std::vector<std::string> catalysts{"Pd", "Pt"},
      sequences{"GATT", "GATA", "CCCC", "CCGC", "GATC", "CGCC"};
  Matrix x(24, 3);  // a record is a row: numbers as they are, texts by their codes
  Vector y(24);
  for (Index i = 0; i < 24; ++i) {
    const auto c = static_cast<size_t>(i % 2), s = static_cast<size_t>(i % 6);
    x.row(i) << double(i * 7 % 24), schema.code(1, catalysts[c]), schema.code(2, sequences[s]);
    y[i] = std::sin(0.2 * x(i, 0)) + double(c) + (sequences[s].starts_with("GAT") ? 0.5 : 0);
  }
  const auto fitted = fit<Row>(
      {parse("on(temp, se()) * on(catalyst, category()) + on(sequence, spectrum(k=2))", schema)}, x, y);
  std::cout << fitted.summary.text() << "\n\n";

  Matrix ask(3, 3);
  ask << 10, schema.code(1, "Pd"), schema.code(2, "GATG"),  // a sequence like some that were seen
      10, schema.code(1, "Pd"), schema.code(2, "TTTT"),     // like none
      10, schema.code(1, "Ni"), schema.code(2, "GATG");     // and a catalyst that was not
  const Marginals m = fitted.process.predict(ask);
  for (Index i = 0; i < 3; ++i) {
    for (Index k = 0; k < 3; ++k) std::cout << schema.text(k, ask(i, k)) << " ";
    std::cout << m.mean[i] << " +- " << m.sd()[i] << "\n";
  }
  return m.sd()[0] < m.sd()[1] && m.sd()[0] < m.sd()[2] ? 0 : 1;  // what is new is less certain
}
