# covary_own(target): what every target of ours gets and no user of ours does: warnings, and errors for them.
function(covary_own target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_features(${target} PRIVATE cxx_std_20)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    # Not -Wconversion, which Eigen's index arithmetic sets off everywhere.
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
      -Wcast-qual -Wold-style-cast -Wextra-semi -Wundef -Wvla -Wformat=2 -Wfloat-conversion)
    if(COVARY_WERROR)
      target_compile_options(${target} PRIVATE -Werror)
    endif()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wduplicated-cond -Wlogical-op -Wno-psabi)
    # These follow values through inlined code and guess wrong inside Eigen and under sanitizers.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow
      -Wno-stringop-overread -Wno-restrict)
  endif()
endfunction()

# covary_tests(target): tests are compiled often and run once, so they are optimised lightly and share their headers.
function(covary_tests target)
  covary_own(${target})
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE -O1)
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=address,undefined")
      # Undefined behaviour is looked for in the library; in the tests' own code it would triple compiling. The
      # address sanitizer stays: Eigen allocates differently with it, and both sides must agree.
      target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
    endif()
  endif()
  target_precompile_headers(${target} PRIVATE <gtest/gtest.h> <Eigen/Core> <covary/kernel.h>)
  covary_discover(${target})
endfunction()

# covary_discover(target [SUFFIX .word ENVIRONMENT NAME=VALUE]): every GoogleTest case is a test of its own, labelled
# "slow" if its name says Slow, else "quick".
function(covary_discover target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SUFFIX;ENVIRONMENT" "")
  set(environment)
  if(arg_ENVIRONMENT)
    set(environment ENVIRONMENT ${arg_ENVIRONMENT})
  endif()
  foreach(label quick slow)
    if(label STREQUAL "quick")
      set(filter "-*Slow*")
      set(timeout 300)
    else()
      set(filter "*Slow*")
      set(timeout 3600)
    endif()
    gtest_discover_tests(${target} TEST_FILTER "${filter}" TEST_SUFFIX "${arg_SUFFIX}"
      TEST_LIST ${target}_${label}${arg_SUFFIX} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS ${label} TIMEOUT ${timeout} ${environment})
  endforeach()
endfunction()
