// Labels for all of a pool from the labels of a few of its rows.
#include <nanobind/eigen/dense.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bind.h"
#include "covary/design/label_pool.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;

nb::list clusters_of(const LabelledPool& all) {
  nb::list out;
  for (const ClusterSampling::Cluster& c : all.clusters) {
    nb::dict d;
    d["rows"] = c.size, d["labels"] = c.labels, d["kind"] = c.kind, d["share"] = c.share,
    d["lower"] = c.lower;
    out.append(d);
  }
  return out;
}

/// labels: a number of a class for each row, or -1.
nb::dict labelled(const Kernel<Row>& kernel, nb::handle at, const std::vector<Index>& labels, Index kinds,
                  Index n, double factor, double percent, std::uint64_t seed, int threads) {
  const auto out = std::make_shared<LabelledPool>();
  const LabelPoolOptions o{n, factor, percent, seed, threads};
  watched([out, kernel, x = matrix(at, "X", Numbers::finite), labels, kinds, o](const Wanted&) {
    *out = label_pool(kernel, x, labels, kinds, o);
  });
  std::vector<Index> next, open;
  std::vector<double> probabilities;
  std::vector<std::string> reasons;
  for (const Choice& c : out->next) {
    next.push_back(c.candidate), open.push_back(c.open);
    probabilities.push_back(c.probability), reasons.push_back(c.reason);
  }
  nb::dict d;
  d["labels"] = out->labels, d["errors"] = out->errors, d["cluster"] = out->cluster;
  d["clusters"] = clusters_of(*out), d["error"] = out->error, d["limit"] = out->limit;
  d["next"] = next, d["probabilities"] = probabilities, d["open"] = open, d["reasons"] = reasons;
  return d;
}

}  // namespace

void bind_clusters(nb::module_& m) {
  m.def("label_pool", &labelled, "kernel"_a, "X"_a, "labels"_a, "kinds"_a, "n"_a, "factor"_a, "percent"_a,
        "seed"_a, "threads"_a, "Labels for all rows from those of a few. Ctrl-C stops it.");
}

}  // namespace covary::python
