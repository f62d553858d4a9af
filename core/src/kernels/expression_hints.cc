#include "covary/kernels/expression_hints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

#include "covary/base/error.h"

namespace covary {
using namespace internal;
namespace {

struct Hint {
  std::string_view names;   // as other libraries call it: lower case, without '_' and a final "kernel"
  std::string_view advice;  // begins like did_you_mean
};

constexpr std::string_view noise_advice =
    ": the noise variance is fitted beside the kernel, see --noise (Python: noise=)";

// Names of our kernels in scikit-learn, GPy, GPflow, GPyTorch, GPML and the textbooks.
constexpr std::array<Hint, 12> hints{{
    {" rbf gaussian gauss gaussianrbf squaredexponential squaredexp sqexp sqrexp expquad "
     "exponentiatedquadratic "
     "eq seard seiso covseiso covseard radial radialbasisfunction ",
     ", did you mean 'se'?"},
    {" matern materniso maternard covmaterniso covmaternard ",
     ", did you mean matern12(), matern32() or matern52() (nu = 1/2, 3/2, 5/2)?"},
    {" exponential exp ou ornsteinuhlenbeck laplacian laplace absoluteexponential absexp abs matern1 ",
     ", did you mean 'matern12'?"},
    {" rq ratquad rationalquad rqiso rqard covrqiso covrqard ", ", did you mean 'rational_quadratic'?"},
    {" expsinesquared expsine2 stdperiodic standardperiodic seasonal per sine sin sinusoidal covperiodic ",
     ", did you mean 'periodic'?"},
    {" dotproduct dot lin linard liniso covlin covlinard homogeneouslinear ", ", did you mean 'linear'?"},
    {" poly quadratic cubic covpoly ", ", did you mean 'polynomial'?"},
    {" bias const intercept offset covconst ", ", did you mean 'constant'?"},
    {" cos spectralmixture sm ",
     ", did you mean 'cosine'? cosine() * se() is one component of a spectral mixture"},
    {" white whitenoise noise nugget iid delta gaussiannoise covnoise diag diagonal eye ", noise_advice},
    {" scale scaled outputscale scaleby ", ": a number in front scales, 2.5 * se()"},
    {" ard additive product sum compound columns slice ",
     ": kernels are combined with + and *, on(column, se()) looks at one column, and length-scales are one "
     "per "
     "column already"},
}};

/// "RBFKernel" -> "rbf", "Exp_Sine_Squared" -> "expsinesquared".
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '_') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::string_view tail = "kernel";
  if (out.size() > tail.size() && out.ends_with(tail)) out.resize(out.size() - tail.size());
  return out;
}

/// Our name of a Matern kernel of smoothness nu, where we have it.
std::string matern(double nu) {
  if (nu == 0.5) return "matern12";
  if (nu == 1.5) return "matern32";
  return nu == 2.5 ? "matern52" : "";
}

}  // namespace

std::string internal::kernel_hint(const Expression& call, const std::vector<std::string>& known) {
  const std::string name = plain(call.name);
  if (name.starts_with("matern"))
    for (const Argument& a : call.arguments)
      if (a.name == "nu" && !a.values.empty() && !matern(a.values[0]).empty())
        return fmt::format(", did you mean '{}'?", matern(a.values[0]));
  for (const Hint& h : hints)
    if (h.names.find(" " + name + " ") != h.names.npos) return std::string(h.advice);
  for (const std::string& k : known)
    if (plain(k) == name) return fmt::format(", did you mean '{}'?", k);
  const std::string near = did_you_mean(call.name, known);
  return near.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : near;
}

}  // namespace covary
