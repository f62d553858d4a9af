# The same libraries for WebAssembly: of the host's packages only the headers are used, through a folder of links, because
# the rest of /usr/include is not for this machine. fmt is compiled here.
set(headers "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY ${headers})
foreach(name boost fmt nlohmann fast_float CLI)
  if(NOT EXISTS /usr/include/${name})
    message(FATAL_ERROR "/usr/include/${name} is missing: run scripts/setup build page")
  endif()
  file(CREATE_LINK /usr/include/${name} ${headers}/${name} SYMBOLIC)
endforeach()

foreach(target Boost::headers FastFloat::fast_float nlohmann_json::nlohmann_json CLI11::CLI11 Eigen3::Eigen Threads::Threads)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${headers})
endforeach()
target_include_directories(Eigen3::Eigen SYSTEM INTERFACE /usr/include/eigen3)
target_compile_definitions(Boost::headers INTERFACE BOOST_NO_CXX98_FUNCTION_BASE)

add_library(covary_fmt STATIC "${PROJECT_SOURCE_DIR}/web/core/fmt.cc")
target_compile_features(covary_fmt PUBLIC cxx_std_20)
target_include_directories(covary_fmt SYSTEM PUBLIC ${headers})
add_library(fmt::fmt ALIAS covary_fmt)
