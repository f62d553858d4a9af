# FindLibSVM: the target LibSVM::LibSVM. LIBSVM comes without a package file of its own.
find_path(LibSVM_INCLUDE_DIR svm.h PATH_SUFFIXES libsvm)
find_library(LibSVM_LIBRARY svm)
if(LibSVM_INCLUDE_DIR)
  file(STRINGS "${LibSVM_INCLUDE_DIR}/svm.h" LibSVM_VERSION REGEX "#define LIBSVM_VERSION ")
  string(REGEX REPLACE "[^0-9]*([0-9])([0-9]+).*" "\\1.\\2" LibSVM_VERSION "${LibSVM_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibSVM REQUIRED_VARS LibSVM_LIBRARY LibSVM_INCLUDE_DIR VERSION_VAR LibSVM_VERSION)
mark_as_advanced(LibSVM_INCLUDE_DIR LibSVM_LIBRARY)

if(LibSVM_FOUND AND NOT TARGET LibSVM::LibSVM)
  add_library(LibSVM::LibSVM UNKNOWN IMPORTED)
  set_target_properties(LibSVM::LibSVM PROPERTIES IMPORTED_LOCATION "${LibSVM_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LibSVM_INCLUDE_DIR}")
endif()
