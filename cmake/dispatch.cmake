# covary_dispatch(target source...): add the sources of hot loops to target.
#
# On x86-64 they are compiled three times, as COVARY_ISA=baseline, avx2 and avx512, and the library picks one at run time;
# elsewhere once, as baseline. The flags stay on these objects: nothing else here, and no user, gets a -march.
# Only such sources may use them, because an inline function that one shared with the rest of the library could be
# linked in its AVX-512 form everywhere. So Eigen is deliberately not on their include path.
include(CheckCXXSourceCompiles)

function(covary_dispatch target)
  # Fewer promises than -ffast-math: sums keep their order, NaN and infinity keep their meaning.
  set(loop_flags)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    set(loop_flags -O3 -fno-math-errno -fno-trapping-math -Wno-psabi)  # vectors are passed only within a file
  endif()

  set(levels baseline)
  if(COVARY_DISPATCH AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    set(CMAKE_REQUIRED_FLAGS "-march=x86-64-v4 -mprefer-vector-width=512")
    check_cxx_source_compiles("#ifndef __AVX512F__\n#error\n#endif\nint main() {}" COVARY_X86_LEVELS)
    if(COVARY_X86_LEVELS)
      list(APPEND levels avx2 avx512)
      target_compile_definitions(${target} PRIVATE COVARY_X86_DISPATCH=1)
    endif()
  endif()
  set(flags_avx2 -march=x86-64-v3)
  set(flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)

  foreach(level IN LISTS levels)
    set(object covary_loops_${level})
    add_library(${object} OBJECT ${ARGN})
    covary_own(${object})
    set_target_properties(${object} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${object} PRIVATE include src)
    target_compile_definitions(${object} PRIVATE COVARY_ISA=${level})
    target_compile_options(${object} PRIVATE ${loop_flags} ${flags_${level}})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()
