#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "algebra/remote/kernel_program.h"
#include "covary/kernels/common_offset.h"
#include "covary/kernels/compose.h"
#include "covary/kernels/held.h"
#include "covary/kernels/on_device.h"

namespace covary {
using namespace internal;
namespace {

/// Thrown inside this file for a kernel without a program.
struct NoProgram {};

class Compiler {
 public:
  explicit Compiler(const Rows& x) : points_(x) {}

  std::shared_ptr<const ProgramOnPoints> compiled(const Kernel<Row>& kernel) {
    kernel_over(kernel, first_columns(0, points_.cols()));
    if (p_.slots != kernel.theta().size()) return {};
    return std::make_shared<const ProgramOnPoints>(
        ProgramOnPoints{std::make_shared<const KernelProgram>(p_), std::move(points_)});
  }

 private:
  using Columns = std::vector<int>;

  static Columns first_columns(Index from, Index count) {
    Columns all(static_cast<size_t>(count));
    std::iota(all.begin(), all.end(), int(from));
    return all;
  }

  /// More columns for the points, and where they stand.
  Columns appended(const Matrix& more) {
    const Index before = points_.cols();
    points_.conservativeResize(Eigen::NoChange, before + more.cols());
    points_.rightCols(more.cols()) = more;
    return first_columns(before, more.cols());
  }

  /// Parts that node() does not describe: features of a remainder, columns that are held.
  int kernel_over(const Kernel<Row>& k, const Columns& columns) {
    if (const auto* rest = k.as<Remainder<Row>>())
      return inner_product(appended(rest->features(seen(columns))), {}, true);
    if (const HeldColumns held = held_columns(k); !held.empty())
      return kernel_over(without_held(k), appended(with_held(seen(columns), held)));
    if (const auto* sum = k.as<Sum<Row>>()) {
      int all = kernel_over(sum->parts[0], columns);
      for (size_t i = 1; i < sum->parts.size(); ++i)
        all = pair(Step::sum, all, kernel_over(sum->parts[i], columns));
      return all;
    }
    return node_over(k.node(), columns, false);
  }
  Matrix seen(const Columns& columns) const { return points_(Eigen::all, columns); }

  int step(const KernelStep& s) {
    if (p_.steps == KernelProgram::most_steps) throw NoProgram();
    p_.step[p_.steps] = s;
    return p_.steps++;
  }
  int pair(Step kind, int left, int right) {
    KernelStep s;
    s.kind = kind, s.left = left, s.right = right;
    return step(s);
  }
  /// The place of the next parameter in theta, or -1.
  int slot(bool fixed) {
    if (fixed) return -1;
    if (p_.slots == KernelProgram::most_slots) throw NoProgram();
    return p_.slots++;
  }
  static double given(double value) {
    if (!std::isfinite(value)) throw NoProgram();
    return value;
  }

  int node_over(const Expression& e, const Columns& columns, bool fixed) {
    using Kind = Expression::Kind;
    KernelStep s;
    switch (e.kind) {
      case Kind::number:
        s.kind = Step::constant, s.number = given(e.value), s.slot = slot(fixed);
        return step(s);
      case Kind::scaled:
        s.kind = Step::scaled, s.number = given(e.value), s.slot = slot(fixed);
        s.left = node_over(e.parts[0], columns, fixed);
        return step(s);
      case Kind::sum:
      case Kind::product: {
        int all = node_over(e.parts[0], columns, fixed);
        for (size_t i = 1; i < e.parts.size(); ++i)
          all = pair(e.kind == Kind::sum ? Step::sum : Step::product, all,
                     node_over(e.parts[i], columns, fixed));
        return all;
      }
      case Kind::call:
        return call_over(e, columns, fixed);
      case Kind::leaf:
        break;
    }
    throw NoProgram();
  }

  int call_over(const Expression& e, const Columns& columns, bool fixed) {
    if (e.function) throw NoProgram();
    if (e.name == "fixed" && e.parts.size() == 1) return node_over(e.parts[0], columns, true);
    if (e.name == "on" && e.parts.size() == 1) return node_over(e.parts[0], read(e.reads, columns), fixed);
    if (!e.parts.empty()) throw NoProgram();
    if (e.name == "linear") return inner_product(columns, lengths_of(e), fixed);
    return own_step(e, columns, fixed);
  }
  static Columns read(const std::vector<Index>& reads, const Columns& columns) {
    Columns out;
    for (const Index c : reads) {
      if (std::cmp_greater_equal(c, columns.size())) throw NoProgram();
      out.push_back(columns[static_cast<size_t>(c)]);
    }
    return out;
  }

  static std::vector<Parameter> lengths_of(const Expression& e) {
    std::vector<Parameter> out;
    for (const Parameter& p : e.parameters)
      if (p.path == "lengthscale") out.push_back(p);
    return out;
  }
  static double argument(const Expression& e, const std::string& name) {
    for (const Argument& a : e.arguments)
      if (a.name == name && a.values.size() == 1) return given(a.values[0]);
    throw NoProgram();
  }

  /// Columns with 1/l^2 and the place of log l in theta; without length-scales the weights are 1.
  void add_columns(KernelStep& s, const Columns& columns, const std::vector<Parameter>& lengths, bool fixed) {
    const size_t d = columns.size();
    if (!lengths.empty() && lengths.size() != 1 && lengths.size() != d) throw NoProgram();
    if (p_.columns + int(d) > KernelProgram::most_columns) throw NoProgram();
    s.first = p_.columns, s.count = int(d);
    std::vector<int> slots;
    for (const Parameter& l : lengths) slots.push_back(slot(fixed || l.fixed));
    for (size_t i = 0; i < d; ++i) {
      const size_t own = lengths.size() == 1 ? 0 : i;
      const double l = lengths.empty() ? 1 : given(lengths[own].value);
      p_.column[p_.columns] = columns[i];
      p_.weight[p_.columns] = 1 / (l * l);
      p_.slot[p_.columns++] = lengths.empty() ? -1 : slots[own];
    }
  }

  int inner_product(const Columns& columns, const std::vector<Parameter>& lengths, bool fixed) {
    KernelStep s;
    s.kind = Step::linear;
    add_columns(s, columns, lengths, fixed);
    return step(s);
  }

  /// A shipped kernel: its columns, then the parameter beside the length-scales.
  int own_step(const Expression& e, const Columns& columns, bool fixed) {
    struct Known {
      const char* name;
      Step kind;
      const char* parameter;  // beside the length-scales
    };
    static constexpr Known all[] = {
        {"constant", Step::constant, "variance"},  {"se", Step::se, ""},
        {"matern12", Step::matern12, ""},          {"matern32", Step::matern32, ""},
        {"matern52", Step::matern52, ""},          {"rational_quadratic", Step::rational_quadratic, "alpha"},
        {"wendland", Step::wendland, ""},          {"periodic", Step::periodic, "period"},
        {"cosine", Step::cosine, "period"},        {"circular", Step::circular, ""},
        {"polynomial", Step::polynomial, "offset"}};
    const auto* known =
        std::find_if(std::begin(all), std::end(all), [&](const Known& k) { return e.name == k.name; });
    if (known == std::end(all)) throw NoProgram();
    KernelStep s;
    s.kind = known->kind;
    if (s.kind == Step::wendland) s.extra = argument(e, "smoothness");
    const size_t half = columns.size() / 2;  // rounded down
    if (s.kind == Step::wendland) s.number = double(half) + s.extra + 1;
    if (s.kind == Step::polynomial) s.extra = argument(e, "degree");
    if (s.kind == Step::circular) s.number = argument(e, "period");
    if (s.kind != Step::constant) add_columns(s, columns, lengths_of(e), fixed);
    if (s.kind == Step::circular) s.extra = p_.weight[s.first];
    for (const Parameter& p : e.parameters) {
      if (p.path == "lengthscale") continue;
      if (p.path != known->parameter) throw NoProgram();
      s.number = given(p.value), s.slot = slot(fixed || p.fixed);
    }
    return step(s);
  }

  Matrix points_;  // as the program reads them
  KernelProgram p_{};
};

/// Whether the program gives the kernel's own covariances of the first few points: node() need not say all of a
/// kernel of the user's own.
bool agrees(const ProgramOnPoints& p, const Kernel<Row>& kernel, const Rows& x) {
  const Index n = std::min<Index>(x.rows(), 6);
  const Matrix some = x.topRows(n), k = kernel.cross(some, some);
  double v[KernelProgram::most_steps];
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      const double* points = p.points.data();
      const double own = program::value(*p.program, PointView{points + i, p.points.rows()},
                                        PointView{points + j, p.points.rows()}, v);
      const double size = std::max({std::abs(k(i, j)), std::abs(k(i, i)), std::abs(k(j, j))});
      if (!(std::abs(own - k(i, j)) <= 1e-9 * size)) return false;
    }
  return true;
}

}  // namespace

std::shared_ptr<const ProgramOnPoints> internal::program_on_points(const Kernel<Row>& kernel, const Rows& x) {
  try {
    auto out = Compiler(x).compiled(kernel);
    return out && agrees(*out, kernel, x) ? out : nullptr;
  } catch (const NoProgram&) {
    return {};
  }
}

std::vector<std::string> internal::place_notes(const Place& place, const std::string& kernel,
                                               bool on_device) {
  std::vector<std::string> out{fmt::format("computed on {} ({})", place.name(), place.text())};
  if (!on_device && !place.collective())
    out.push_back(
        fmt::format("the kernel {} has no device form: its covariances are computed on the host", kernel));
  return out;
}

}  // namespace covary
