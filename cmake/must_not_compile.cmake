# cmake -D COMPILER=... -D SOURCE=... -D FLAGS="..." -P must_not_compile.cmake
#
# Succeeds if the compiler refuses SOURCE and says the text that follows "// expect: " in its first line:
# a file that fails for some other reason proves nothing.
file(STRINGS "${SOURCE}" first LIMIT_COUNT 1)
if(NOT first MATCHES "^// expect: (.+)$")
  message(FATAL_ERROR "${SOURCE}: the first line must be '// expect: ' and a piece of the compiler's message")
endif()
set(expected "${CMAKE_MATCH_1}")

execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${COMPILER} ${FLAGS} -fsyntax-only "${SOURCE}"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE}: it compiles, and must not")
endif()
string(FIND "${output}" "${expected}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "${SOURCE}: refused, but without saying '${expected}':\n${output}")
endif()
