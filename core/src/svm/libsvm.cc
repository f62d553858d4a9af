#include "svm/libsvm.h"

#ifdef COVARY_LIBSVM

#include <fmt/format.h>
#include <svm.h>

#include <algorithm>
#include <memory>

#include "covary/base/runtime.h"

namespace covary {
using namespace internal;
namespace {

/// LIBSVM prints through one pointer for the whole process; it is set once.
void silence() {
  static const bool silent = (svm_set_print_string_function([](const char*) {}), true);
  static_cast<void>(silent);
}

/// The kernel as LIBSVM wants it: rows of m + 1 nodes, the first with the row's number, from 1.
struct Nodes {
  explicit Nodes(const Matrix& k)
      : all(static_cast<size_t>(k.rows() * (k.rows() + 1))), rows(static_cast<size_t>(k.rows())) {
    const Index m = k.rows();
    for (Index i = 0; i < m; ++i) {
      svm_node* row = rows[static_cast<size_t>(i)] = all.data() + i * (m + 1);
      row[0] = {0, double(i + 1)};
      for (Index j = 0; j < m; ++j) row[j + 1] = {int(j + 1), k(j, i)};
    }
  }
  std::vector<svm_node> all;
  std::vector<svm_node*> rows;
};

svm_parameter parameters(Index m, double penalty) {
  svm_parameter p{};
  p.svm_type = C_SVC, p.kernel_type = PRECOMPUTED;
  p.cache_size = 1 + 4e-6 * double(m) * double(m);  // all of it, in MB
  p.eps = 1e-3, p.C = std::min(penalty, 100.0), p.shrinking = 1;
  return p;
}

struct FreeModel {
  void operator()(svm_model* m) const { svm_free_and_destroy_model(&m); }
};

}  // namespace

Vector libsvm_start(const Matrix& k, const Vector& y, double penalty) {
  const Index m = y.size();
  check_memory(20 * double(m) * double(m), fmt::format("LIBSVM's copy of the kernel of {} points", m));
  silence();
  Nodes nodes(k);
  Vector label = y;
  const svm_problem problem{int(m), label.data(), nodes.rows.data()};
  const svm_parameter p = parameters(m, penalty);
  const std::unique_ptr<svm_model, FreeModel> model(svm_train(&problem, &p));
  const double sign = model->label[0];  // of the class that LIBSVM calls positive
  Vector w = Vector::Zero(m);
  for (int s = 0; s < model->l; ++s) w[model->sv_indices[s] - 1] = sign * model->sv_coef[0][s];
  return w;
}

bool has_libsvm() { return true; }

}  // namespace covary

#else

namespace covary {

Vector libsvm_start(const Matrix&, const Vector& y, double) { return Vector::Zero(y.size()); }
bool has_libsvm() { return false; }

}  // namespace covary

#endif
