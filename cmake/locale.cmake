# The German locale, for tests: made from the system's sources (Debian's package locales) in the build folder, because
# most machines have only C. Tests find it by LOCPATH=${COVARY_LOCALES}.
set(COVARY_LOCALES "${PROJECT_BINARY_DIR}/locales")
set(COVARY_HAS_DE OFF)
find_program(COVARY_LOCALEDEF localedef)
if(COVARY_LOCALEDEF AND NOT EXISTS "${COVARY_LOCALES}/de_DE.UTF-8/LC_NUMERIC")
  file(MAKE_DIRECTORY "${COVARY_LOCALES}")
  execute_process(COMMAND ${COVARY_LOCALEDEF} -c -i de_DE -f UTF-8 "${COVARY_LOCALES}/de_DE.UTF-8"
    OUTPUT_QUIET ERROR_QUIET)
endif()
if(EXISTS "${COVARY_LOCALES}/de_DE.UTF-8/LC_NUMERIC")
  set(COVARY_HAS_DE ON)
endif()
