#include "arguments.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "covary/base/error.h"

namespace covary::python {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw nb::type_error(what.c_str()); }

[[noreturn]] void refuse_value(const std::string& name, const std::string& expected, nb::handle value) {
  refuse(name + ": expected " + expected + ", found " + nb::cast<std::string>(nb::repr(value)));
}

}  // namespace

Arguments::Arguments(const char* call, std::vector<std::string> names, size_t positional,
                     const nb::args& args, const nb::kwargs& kwargs)
    : call_(call) {
  if (args.size() > positional)
    refuse(call_ + "() takes " + std::to_string(positional) + " arguments without names, found " +
           std::to_string(args.size()));
  for (size_t i = 0; i < args.size(); ++i) given_[names[i].c_str()] = args[i];
  for (const auto [key, value] : kwargs) {
    const auto name = nb::cast<std::string>(key);
    if (std::find(names.begin(), names.end(), name) == names.end())
      refuse(call_ + "() has no argument '" + name + "'" + internal::did_you_mean(name, names));
    if (given_.contains(key)) refuse(call_ + "() is given '" + name + "' twice");
    given_[key] = value;
  }
}

nb::object Arguments::needed(const std::string& name) const {
  if (!given_.contains(name.c_str())) refuse(call_ + "() needs the argument '" + name + "'");
  return given_[name.c_str()];
}

double Arguments::number(const std::string& name, double otherwise) const {
  if (!given_.contains(name.c_str())) return otherwise;
  const nb::object value = given_[name.c_str()];
  double out = 0;
  if (!nb::try_cast(value, out)) refuse_value(name, "a number", value);
  return out;
}

int Arguments::whole(const std::string& name, int otherwise) const {
  if (!given_.contains(name.c_str())) return otherwise;
  const nb::object value = given_[name.c_str()];
  int out = 0;
  if (!nb::try_cast(value, out)) refuse_value(name, "a whole number", value);
  return out;
}

}  // namespace covary::python
