#include "base/simd/simd.h"

namespace covary::simd {

namespace baseline {
extern const Loops table;
}
#ifdef COVARY_X86_DISPATCH
namespace avx2 {
extern const Loops table;
}
namespace avx512 {
extern const Loops table;
}
#endif

namespace {

struct List {
  const Loops* all[4] = {};
  List() {
    const Loops** next = all;
#ifdef COVARY_X86_DISPATCH
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
      *next++ = &avx512::table;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
      *next++ = &avx2::table;
#endif
    *next = &baseline::table;
  }
};

}  // namespace

const Loops* const* all_loops() {
  static const List list;
  return list.all;
}

const Loops& loops() { return **all_loops(); }

}  // namespace covary::simd
