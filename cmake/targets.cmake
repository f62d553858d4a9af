# covary_own(target): what every target of ours gets and no user of ours does: warnings, and errors for them.
function(covary_own target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(COVARY_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 18)
  endif()
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
    # The compiler collects no garbage below 2 GB (a file here takes up to 1.8), which more than halves its time.
    target_compile_options(${target} PRIVATE --param=ggc-min-expand=1000 --param=ggc-min-heapsize=2000000)
  endif()
endfunction()

# covary_split_by_cli11(SOURCES... ): sets `verbs`, those that name CLI11, and `rest`. Whatever includes CLI11 compiles all of it
# again, so the two are targets of their own.
function(covary_split_by_cli11)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} names_cli11 REGEX "CLI::" LIMIT_COUNT 1)
    if(names_cli11)
      list(APPEND verbs ${source})
    else()
      list(APPEND rest ${source})
    endif()
  endforeach()
  set(verbs ${verbs} PARENT_SCOPE)
  set(rest ${rest} PARENT_SCOPE)
endfunction()

# covary_tests(target): tests are compiled often and run once, so they are optimized lightly and share their headers.
function(covary_tests target)
  covary_own(${target})
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE -O1)
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=address,undefined")
      # Undefined behavior is looked for in the library; in the tests' own code it would triple compiling. The
      # address sanitizer stays: Eigen allocates differently with it, and both sides must agree.
      target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
    endif()
  endif()
  target_precompile_headers(${target} PRIVATE <gtest/gtest.h> <Eigen/Core> <covary/kernels/kernel.h>)
endfunction()

# covary_shards(target): the quick cases as COVARY_TEST_SHARDS tests, target.1 and so on, each a process that runs its
# share of them: a process per case takes longer than most cases do. Slow ones, and all if there are no shards, are
# discovered. COVARY_TEST_SKIP leaves cases out by name.
function(covary_shards target)
  if(COVARY_TEST_SHARDS EQUAL 0)
    covary_discover(${target})
    return()
  endif()
  covary_discover(${target} LABELS slow)
  foreach(i RANGE 1 ${COVARY_TEST_SHARDS})
    math(EXPR index "${i} - 1")
    add_test(NAME ${target}.${i} COMMAND ${target} --gtest_brief=1 "--gtest_filter=-*Slow*:${COVARY_TEST_SKIP}")
    set_tests_properties(${target}.${i} PROPERTIES LABELS quick TIMEOUT 1200
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${COVARY_TEST_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# covary_discover(target [SUFFIX .word] [ENVIRONMENT NAME=VALUE] [EXCEPT FILTER] [LABELS quick slow]): every GoogleTest case is a test of
# its own, labelled "slow" if its name says Slow, else "quick".
function(covary_discover target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SUFFIX;ENVIRONMENT;EXCEPT" "LABELS")
  if(NOT arg_LABELS)
    set(arg_LABELS quick slow)
  endif()
  set(environment)
  if(arg_ENVIRONMENT)
    set(environment ENVIRONMENT ${arg_ENVIRONMENT})
  endif()
  foreach(label IN LISTS arg_LABELS)
    if(label STREQUAL "quick")
      set(filter "-*Slow*")
      if(arg_EXCEPT)
        string(APPEND filter ":${arg_EXCEPT}")
      endif()
      set(timeout 1200)
    else()
      set(filter "*Slow*")
      set(timeout 3600)
    endif()
    gtest_discover_tests(${target} TEST_FILTER "${filter}" TEST_SUFFIX "${arg_SUFFIX}"
      TEST_LIST ${target}_${label}${arg_SUFFIX} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS ${label} TIMEOUT ${timeout} ${environment})
  endforeach()
endfunction()
