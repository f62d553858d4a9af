// Every kernel of the registries, and kernels by name.
#include "covary/kernels/registry.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.h"
#include "bind.h"
#include "covary/kernels/graphs/graph.h"
#include "covary/kernels/sets/item_set.h"
#include "records/record_kernel.h"

namespace covary::python {
namespace {

using namespace nb::literals;
using Names = std::vector<std::string>;

[[noreturn]] void refuse(const std::string& what) { throw nb::type_error(what.c_str()); }

/// What the argument of a kernel is called, and whether it is one of its settings: a word, or yes and no.
struct ArgumentName {
  std::string kernel, name;
  bool setting = false;
  std::string text() const { return kernel + (name.empty() ? "" : ": " + name); }
};

/// Text that begins as a number does: 1 year, 0.1..10, fixed(3).
bool looks_like_value(const std::string& text) {
  return text.starts_with("fixed(") ||
         (!text.empty() && std::string("0123456789.").find(text[0]) != text.npos);
}

/// A value of an argument, as an expression has it.
std::string value_text(nb::handle value, const ArgumentName& name) {
  const bool text = nb::isinstance<nb::str>(value);
  if (text && (name.setting || looks_like_value(nb::cast<std::string>(value))))
    return nb::cast<std::string>(value);
  if (name.setting && nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value) ? "yes" : "no";
  const bool list = nb::hasattr(value, "__len__") && !text;
  double number = 0;
  if (!list && !nb::try_cast(value, number))
    refuse(name.text() + ": expected a number or a list of numbers, found " +
           nb::cast<std::string>(nb::repr(value)));
  if (!list) return number_text(number);
  std::string out;
  for (const double v : values(value, name.text().c_str())) out += (out.empty() ? "" : ", ") + number_text(v);
  return "[" + out + "]";
}

template <class X>
bool add_argument_names(const std::string& kernel, std::vector<ArgumentName>& out) {
  for (const Entry<X>& e : registry<X>()) {
    if (e.name != kernel) continue;
    for (const std::string& p : e.parameters)
      out.push_back({kernel, p, std::find(e.settings.begin(), e.settings.end(), p) != e.settings.end()});
    return true;
  }
  return false;
}

/// The kernel NAME(arguments), by way of its expression: what is refused there is refused here, in its words.
nb::object made(const std::string& name, const nb::tuple& positional, const nb::dict& named) {
  std::vector<ArgumentName> known;
  (void)(add_argument_names<Row>(name, known) || add_argument_names<std::string>(name, known) ||
         add_argument_names<ItemSet>(name, known) || add_argument_names<Graph>(name, known));
  std::string arguments;
  const auto add = [&](const std::string& text) { arguments += (arguments.empty() ? "" : ", ") + text; };
  for (size_t i = 0; i < positional.size(); ++i) {
    const bool setting = i < known.size() && known[i].setting;
    add(value_text(positional[i], {name, "", setting}));
  }
  for (const auto [key, v] : named) {
    if (v.is_none()) continue;
    ArgumentName of{name, nb::cast<std::string>(key)};
    for (const ArgumentName& k : known)
      if (k.name == of.name) of.setting = k.setting;
    add(of.name + "=" + value_text(v, of));
  }
  return kernel_object({name + "(" + arguments + ")", {}});
}

template <class X>
void add_entries(nb::list& all, Names& known, const char* over) {
  for (const Entry<X>& e : registry<X>()) {
    if (std::find(known.begin(), known.end(), e.name) != known.end()) continue;
    known.push_back(e.name);
    nb::dict d;
    d["name"] = e.name, d["formula"] = e.formula, d["about"] = e.about, d["over"] = over;
    if (e.reads == Reads::nodes) d["over"] = "nodes";
    d["parameters"] = e.parameters, d["columns"] = e.columns, d["settings"] = e.settings;
    all.append(d);
  }
}

/// Of every registry; a name that two of them have is listed with the first.
nb::list entries() {
  nb::list all;
  Names known;
  add_entries<Row>(all, known, "rows"), add_entries<std::string>(all, known, "texts");
  add_entries<ItemSet>(all, known, "sets"), add_entries<Graph>(all, known, "graphs");
  return all;
}

}  // namespace

void bind_registry(nb::module_& m) {
  m.def("make", &made, "name"_a, "args"_a, "kwargs"_a,
        "A kernel of the registry by name. Nothing given, or None: learned.");
  m.def("registry", &entries,
        "Every kernel: name, formula, about, over (rows, nodes, texts, sets or graphs), parameters, columns, "
        "settings.");
}

}  // namespace covary::python
