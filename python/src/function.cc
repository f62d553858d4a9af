#include "function.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.h"
#include "bind.h"
#include "covary/base/error.h"
#include "covary/kernels/explain.h"
#include "covary/kernels/expression.h"
#include "records/record_kernel.h"

namespace covary::python {
namespace {

using namespace nb::literals;

/// What a function was made from.
struct Source {
  nb::object f, diag;  // diag may be None
};

/// Any thread may be the last to let go of it.
std::shared_ptr<const Source> shared_source(nb::object f, nb::object diag = nb::none()) {
  const auto let_go = [](const Source* s) {
    if (Py_IsInitialized() == 0) return;  // Python took its objects with it
    const nb::gil_scoped_acquire held;
    delete s;
  };
  return {new Source{std::move(f), std::move(diag)}, let_go};
}

const Source& source_of(const BlockFunction& f) { return *static_cast<const Source*>(f.source.get()); }

bool alike(const BlockFunction& a, const BlockFunction& b) {
  return a.name == b.name && a.parameters == b.parameters && source_of(a).f.is(source_of(b).f) &&
         source_of(a).diag.is(source_of(b).diag);
}

nb::dict named(const std::vector<std::string>& names, const Vector& values) {
  nb::dict d;
  for (size_t i = 0; i < names.size(); ++i) d[names[i].c_str()] = values[Index(i)];
  return d;
}

/// A function of Python's, called with arrays of its own.
std::shared_ptr<const BlockFunction> block_function(const std::string& name,
                                                    const std::vector<std::string>& parameters, nb::object f,
                                                    nb::object diag) {
  const bool has_diag = !diag.is_none();
  const auto source = shared_source(std::move(f), std::move(diag));
  const std::string what = "kernel: what " + name + " gave";
  BlockFunction out{name, parameters, {}, {}, source};
  out.cross = [=](const Rows& a, const Rows& b, const Vector& v) -> Matrix {
    const nb::gil_scoped_acquire held;
    return matrix(source->f(nb::cast(Matrix(a)), nb::cast(Matrix(b)), **named(parameters, v)), what.c_str());
  };
  if (has_diag)
    out.diag = [=](const Rows& a, const Vector& v) -> Vector {
      const nb::gil_scoped_acquire held;
      return values(source->diag(nb::cast(Matrix(a)), **named(parameters, v)), what.c_str());
    };
  return std::make_shared<const BlockFunction>(std::move(out));
}

Kernel<Row> function_kernel(const nb::object& f, const nb::object& diag, const std::string& name,
                            const nb::dict& parameters) {
  std::vector<std::string> names;
  Vector values(std::ssize(parameters));
  for (const auto [key, value] : parameters) {
    values[std::ssize(names)] = nb::cast<double>(nb::float_(value));
    names.push_back(nb::cast<std::string>(key));
  }
  return internal::kernel_of(block_function(name, names, f, diag), values);
}

MeanFunction mean_function(const std::string& name, nb::object f) {
  const auto source = shared_source(std::move(f));
  const std::string what = "mean: what " + name + " gave";
  return std::make_shared<const RowFunction>(RowFunction{name,
                                                         [=](const Rows& x) -> Vector {
                                                           const nb::gil_scoped_acquire held;
                                                           return values(source->f(nb::cast(Matrix(x))),
                                                                         what.c_str());
                                                         },
                                                         source});
}

}  // namespace

Trend trend_of(nb::handle given) {
  if (nb::isinstance<nb::str>(given)) return {nb::cast<std::string>(given)};
  if (PyCallable_Check(given.ptr()) == 0)
    throw Error(Problem::usage,
                "mean: expected text, as 'constant' or 'linear', or a function of rows, found " +
                    nb::cast<std::string>(nb::repr(given)));
  std::string name = "function";
  if (nb::hasattr(given, "__name__")) name = nb::cast<std::string>(nb::str(given.attr("__name__")));
  if (name == "<lambda>") name = "function";
  return {name, mean_function(name, nb::borrow(given))};
}

nb::object state_of(const MeanFunction& f) {
  if (!f) return nb::none();
  return nb::make_tuple(f->name, static_cast<const Source*>(f->source.get())->f);
}

MeanFunction mean_from(const nb::object& state) {
  if (state.is_none()) return {};
  const auto t = nb::cast<nb::tuple>(state);
  return mean_function(nb::cast<std::string>(t[0]), nb::object(t[1]));
}

Functions functions_of(const Kernel<Row>& k) {
  Functions out;
  for (const auto& f : internal::functions_in(k)) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const auto& g) { return g->name == f->name; });
    if (same == out.end())
      out.push_back(f);
    else if (!alike(**same, *f))
      throw Error(Problem::usage, "kernel: two functions are named '" + f->name +
                                      "': give one of them another name, function(..., name='g')");
  }
  return out;
}

bool same_functions(const Kernel<Row>& a, const Kernel<Row>& b) {
  const Functions left = internal::functions_in(a), right = internal::functions_in(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const auto& f, const auto& g) { return alike(*f, *g); });
}

KernelText said(nb::handle kernel_or_text) {
  if (nb::isinstance<nb::str>(kernel_or_text)) return {nb::cast<std::string>(kernel_or_text), {}};
  if (nb::isinstance<RecordKernel>(kernel_or_text)) {
    const auto& k = nb::cast<const RecordKernel&>(kernel_or_text);
    return {k.text, k.functions};
  }
  if (!nb::isinstance<Kernel<Row>>(kernel_or_text))
    throw nb::type_error(("kernel: expected a Kernel or an expression, found " +
                          nb::cast<std::string>(nb::repr(kernel_or_text)))
                             .c_str());
  const auto& k = nb::cast<const Kernel<Row>&>(kernel_or_text);
  return {k.text(), functions_of(k)};
}

Kernel<Row> parsed(const KernelText& s, const std::vector<std::string>& columns) {
  return parse(s.kernel,
               columns.empty() ? internal::named_columns(internal::read_expression(s.kernel)) : columns,
               s.functions);
}

nb::list state_of(const Functions& functions) {
  nb::list all;
  for (const auto& f : functions)
    all.append(nb::make_tuple(f->name, f->parameters, source_of(*f).f, source_of(*f).diag));
  return all;
}

Functions functions_from(const nb::list& state) {
  Functions all;
  for (const nb::handle h : state) {
    const auto f = nb::cast<nb::tuple>(h);
    all.push_back(block_function(nb::cast<std::string>(f[0]), nb::cast<std::vector<std::string>>(f[1]),
                                 nb::object(f[2]), nb::object(f[3])));
  }
  return all;
}

nb::object state_of(const KernelText& s) {
  if (s.functions.empty()) return nb::cast(s.kernel);
  return nb::make_tuple(s.kernel, state_of(s.functions));
}

KernelText said_from(const nb::object& state) {
  if (nb::isinstance<nb::str>(state)) return {nb::cast<std::string>(state), {}};
  const auto t = nb::cast<nb::tuple>(state);
  return {nb::cast<std::string>(t[0]), functions_from(nb::cast<nb::list>(t[1]))};
}

void bind_functions(nb::module_& m) {
  nb::set_leak_warnings(false);  // a function may hold what holds it, where Python's collector cannot see
  m.def("function", &function_kernel, "f"_a, "diag"_a.none(), "name"_a, "parameters"_a,
        "A function over blocks as a kernel: f(A, B, **parameters) is n x m.");
  m.def(
      "on",
      [](const std::string& columns, nb::handle kernel) {
        const KernelText inner = said(kernel);
        return kernel_object({"on(" + columns + ", " + inner.kernel + ")", inner.functions});
      },
      "columns"_a, "kernel"_a, "The kernel, or expression, on some columns only, as an expression has them.");
}

}  // namespace covary::python
