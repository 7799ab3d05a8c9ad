# cmake -D SOURCE=<Go program> -D OUT=<file> -P generate_cases.cmake
#
# Runs a case generator, or says that it is skipped for want of Go. An old file never stays, so that
# a test cannot pass on it.
file(REMOVE "${OUT}")

set(wanted 1.26)
set(missing TRUE)
find_program(go go)
if(go)
  execute_process(COMMAND "${go}" env GOVERSION OUTPUT_VARIABLE version
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  WORKING_DIRECTORY "${SOURCE}")
  string(REGEX REPLACE "^go([0-9.]+).*" "\\1" version "${version}")
  if(version VERSION_GREATER_EQUAL wanted)
    set(missing FALSE)
  endif()
endif()

if(missing)
  if("$ENV{CI}" STREQUAL "true")
    message(FATAL_ERROR "no conformance cases without Go ${wanted}")
  endif()
  message("skipped: needs Go ${wanted}")
  return()
endif()

execute_process(COMMAND "${go}" run . "${OUT}" WORKING_DIRECTORY "${SOURCE}"
                RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  file(REMOVE "${OUT}")
  message(FATAL_ERROR "the case generator failed")
endif()
