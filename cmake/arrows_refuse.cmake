# The arrow check refuses an include against the arrows: a copy of two headers, one of which breaks the table.
#   cmake -D ARROWS=scripts/arrows -D PYTHON=python3 -D FOLDER=scratch -P arrows_refuse.cmake
set(header ${FOLDER}/core/include/covary/algebra/forbidden.h)
foreach(include "covary/base/types.h" "covary/learn/fit.h" "tiles.h")
  file(WRITE ${header} "#include \"${include}\"\n")
  execute_process(COMMAND ${PYTHON} ${ARROWS} ${FOLDER} RESULT_VARIABLE code OUTPUT_VARIABLE said)
  if(include MATCHES "base" AND NOT code EQUAL 0)
    message(FATAL_ERROR "an allowed include was refused: ${said}")
  elseif(NOT include MATCHES "base" AND NOT said MATCHES "forbidden.h: .*\"${include}\"")
    message(FATAL_ERROR "a forbidden include was not refused: ${code} ${said}")
  endif()
endforeach()
