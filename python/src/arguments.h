// The arguments of a constructor that Python calls, checked one by one; an error names the argument.
#pragma once
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace covary::python {

namespace nb = nanobind;

/// Throws Python's TypeError for too many, for a name that is not known, and for values of another type.
class Arguments {
 public:
  /// names: of all, in order. positional: how many of them need not be named.
  Arguments(const char* call, std::vector<std::string> names, size_t positional, const nb::args& args,
            const nb::kwargs& kwargs);
  nb::object needed(const std::string& name) const;
  double number(const std::string& name, double otherwise) const;
  int whole(const std::string& name, int otherwise) const;

 private:
  std::string call_;
  nb::dict given_;
};

}  // namespace covary::python
