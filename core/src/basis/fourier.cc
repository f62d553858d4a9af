// fourier: random features of a kernel.
#include <fmt/format.h>

#include <cmath>

#include "basis/item.h"
#include "covary/base/random.h"
#include "covary/kernels/expression.h"

namespace covary {
namespace {

struct Fourier {
  std::string opening;
  std::vector<Index> columns;
  std::vector<std::string> names;  // of those columns, for the kernel's on(...)
  Index number;
  std::uint64_t seed;
};

FeatureItem fourier_item(const Fourier& f, const Kernel<Row>& kernel);

bool is_given(const Kernel<Row>& kernel) { return !kernel.theta().hasNaN(); }

/// The kernel with parameters that were not given at their starts from data.
Kernel<Row> started(const Kernel<Row>& kernel, const Matrix& x) {
  const Kernel<Row> sized = kernel.sized(x);
  Vector theta = sized.theta();
  const Vector start = sized.start(x, 1.0);
  for (Index i = 0; i < theta.size(); ++i)
    if (std::isnan(theta[i])) theta[i] = start[i];
  return sized.with(theta);
}

/// At most `number` of them: a sum of kernels needs as many for each of its parts.
FeatureMap<Row> drawn(const Kernel<Row>& kernel, const Fourier& f) {
  Random probe(f.seed);
  const FeatureMap<Row> one = kernel.features(probe, 1);
  if (!one) throw Error(Problem::usage, "features: no random features are known of " + kernel.text());
  if (one.columns > f.number)
    throw Error(Problem::usage, fmt::format("features: {} needs at least {} features, found {}",
                                            kernel.text(), one.columns, f.number));
  Random rng(f.seed);
  return kernel.features(rng, f.number / one.columns);
}

void check_columns(const Kernel<Row>& kernel, const Fourier& f) {
  const Matrix origin = Matrix::Zero(1, std::ssize(f.columns));
  (void)kernel.cross(origin, origin);
}

FeatureItem fourier_item(const Fourier& f, const Kernel<Row>& kernel) {
  const std::string said = kernel.text();
  const Kernel<Row> k = parse<Row>(said, f.names);  // what the text says, to the bit
  const FeatureMap<Row> map = drawn(k, f);
  FeatureItem item;
  item.text = fmt::format("{}features={}, kernel={}, seed={})", f.opening, f.number, said, f.seed);
  item.size = map.columns;
  item.columns = f.columns;
  if (!is_given(k)) {
    item.place = [f, k](const Rows& x) { return fourier_item(f, started(k, x(Eigen::all, f.columns))); };
    return item;
  }
  check_columns(k, f);
  for (Index j = 1; j <= item.size; ++j) item.names.push_back(fmt::format("fourier({})", j));
  item.fill = [map, columns = f.columns](const Rows& x, Eigen::Ref<Matrix> phi) {
    phi = map(x(Eigen::all, columns));
  };
  return item;
}

}  // namespace

std::vector<FeatureItem> make_fourier(const MapCall& call) {
  Fourier f{call.opening(), call.columns, {}, call.how_many("features", 500), 0};
  f.seed = static_cast<std::uint64_t>(call.whole("seed", 1, 0, largest_whole));
  for (const Index k : call.columns) f.names.push_back(call.names[static_cast<size_t>(k)]);
  const MapArgument* given = call.find("kernel");
  try {
    return {fourier_item(f, parse<Row>(given ? given->kernel : "se()", f.names))};
  } catch (const Error& e) {
    call.fail("kernel", fmt::format("the kernel of fourier cannot be used: {}", e.what()));
  }
}

}  // namespace covary
