# Install rules, and the package that find_package(covary) finds.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/covary)

install(TARGETS covary_core EXPORT covaryTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/core/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET covary-mpi)
  install(TARGETS covary-mpi)
endif()
if(TARGET covary)
  install(TARGETS covary)
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:covary>\" man OUTPUT_FILE \"${PROJECT_BINARY_DIR}/covary.1\"
    COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${PROJECT_BINARY_DIR}/covary.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(EXPORT covaryTargets NAMESPACE covary:: DESTINATION ${package_dir})
export(EXPORT covaryTargets NAMESPACE covary:: FILE ${PROJECT_BINARY_DIR}/covaryTargets.cmake)  # a build folder is found too

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/covaryConfig.cmake.in ${PROJECT_BINARY_DIR}/covaryConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/covaryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/covaryConfig.cmake ${PROJECT_BINARY_DIR}/covaryConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindLibSVM.cmake
  DESTINATION ${package_dir})
