// The table of inferences. To add one, write inference/NAME.h with `NAME_entry<X>()` and name it here.
#pragma once
#include "covary/inference/exact.h"
#include "covary/inference/inducing.h"
#include "covary/inference/state_space.h"
#include "covary/inference/vecchia.h"
#include "covary/kernels/named_call.h"

namespace covary {

/// Every inference over X, in the order they are listed.
template <class X>
const std::vector<InferenceEntry<X>>& inferences() {
  static const std::vector<InferenceEntry<X>> all{internal::exact_entry<X>(), internal::inducing_entry<X>(),
                                                  internal::vecchia_entry<X>(),
                                                  internal::state_space_entry<X>()};
  return all;
}

/// "exact()", "inducing(points=512)". Throws Problem::usage, with the names there are, for any other.
template <class X>
Inference<X> parse_inference(const std::string& text) {
  std::vector<internal::Callable> known;
  for (const InferenceEntry<X>& e : inferences<X>()) known.push_back({e.name, e.parameters});
  const internal::NamedCall call = internal::read_call(text, "inference", known, true);
  return inferences<X>()[call.entry].make(call.arguments);
}

namespace internal {
/// Stands for an inference that is chosen for the data, see learn/auto_inference.h.
inline const std::string automatic_inference = "auto";

/// An inference as it is typed, on "cuda" or "cpu": "exact(device=cuda)". Throws Problem::usage for one that no
/// device computes.
std::string on_device(const std::string& inference, const std::string& device);

/// The same on the host: what a model file keeps, since its reader may lack the device. An unresolved `auto` is
/// exact.
std::string without_device(const std::string& inference);
}  // namespace internal

}  // namespace covary
