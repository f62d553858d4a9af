// The properties of covary/testing/conformance.h, as expectations of GoogleTest.
#pragma once
#include "covary/testing/conformance.h"
#include "support.h"

namespace covary::test {

inline void expect_none(const conformance::Failures& failures) {
  for (const std::string& failure : failures) ADD_FAILURE() << failure;
}

template <class X>
void expect_conforms(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  expect_none(conformance::kernel<X>(k, a, b));
}

}  // namespace covary::test
