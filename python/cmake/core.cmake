# covary::core for the module: of a build folder of this checkout, or compiled here.
#
# COVARY_BUILD names the folder. Empty, build/ of the checkout is taken if it is a release build of it (what `make build`
# makes), and brought up to date first; "none" compiles the core here.
set(COVARY_BUILD "" CACHE STRING "A build folder of this checkout whose library to link; empty: build/; none: no such folder")

# Sets `result` to the folder if its library can be linked: of this checkout, optimized, without sanitizers, up to date.
function(covary_usable_build folder result)
  set(${result} "" PARENT_SCOPE)
  if(NOT EXISTS ${folder}/CMakeCache.txt OR NOT EXISTS ${folder}/covaryTargets.cmake)
    return()
  endif()
  load_cache(${folder} READ_WITH_PREFIX built_ CMAKE_HOME_DIRECTORY CMAKE_BUILD_TYPE CMAKE_CXX_FLAGS)
  file(REAL_PATH "${built_CMAKE_HOME_DIRECTORY}" home)
  file(REAL_PATH "${root}" here)
  string(FIND "${built_CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS}" "-fsanitize" sanitized)
  if(NOT home STREQUAL here OR NOT built_CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$" OR sanitized GREATER -1)
    return()
  endif()
  message(STATUS "Covary: ${folder} is brought up to date: moments, or minutes if the core has changed since")
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${folder} --target covary_core RESULT_VARIABLE failed
    OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    message(STATUS "Covary: ${folder} cannot be brought up to date, its library is not used")
    return()
  endif()
  set(${result} ${folder} PARENT_SCOPE)
endfunction()

set(build "${COVARY_BUILD}")
if(build STREQUAL "")
  covary_usable_build(${root}/build build)
endif()
if(build AND NOT build STREQUAL "none")
  message(STATUS "Covary: the library of ${build} is linked; the binding alone is compiled, about a minute on two cores")
  include(dependencies)  # which the library of a build folder names
  find_package(covary REQUIRED CONFIG PATHS ${build} NO_DEFAULT_PATH)
else()
  message(STATUS "Covary: the core is compiled too, some minutes on two cores; after `make build` its library is used")
  foreach(part CLI TESTS EXAMPLES BENCH INSTALL CONSUMER_TESTS FUZZ)
    set(COVARY_${part} OFF)
  endforeach()
  set(BUILD_SHARED_LIBS OFF)
  set(COVARY_UNITY ON)
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
  add_subdirectory(${root} core EXCLUDE_FROM_ALL)
  set(COVARY_UNITY OFF)  # of the module itself
endif()
