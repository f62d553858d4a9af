# What the library is built from. Eigen is in the interface and LAPACK, LIBSVM, fmt, zlib and threads are linked, so users
# of an installed Covary need those six (covaryConfig.cmake.in asks for them); the rest is headers used inside .cc files
# only. fmt is linked, not included whole: that would take half of the time of compiling.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(Boost REQUIRED)
find_package(FastFloat REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
if(COVARY_LAPACK)
  find_package(LAPACK REQUIRED)
endif()
if(COVARY_LIBSVM)
  find_package(LibSVM 3.2 REQUIRED)
endif()
