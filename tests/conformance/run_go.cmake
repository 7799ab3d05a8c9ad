# cmake -DPROGRAM=<folder of a Go program> -DOUTPUT=<file> [-DARGUMENTS=<list>] -P run_go.cmake
#
# Runs one of the Go programs here and keeps what it prints. Without Go there is nothing to compare
# with: the tests are skipped on a person's machine, and fail where CI=true, so that they cannot
# silently stop running. An old output never stays, so that no test can pass on it.
cmake_minimum_required(VERSION 3.25)
file(REMOVE "${OUTPUT}")

set(version 0)
find_program(go go)
if(go)
  execute_process(COMMAND "${go}" env GOVERSION WORKING_DIRECTORY "${PROGRAM}"
                  OUTPUT_VARIABLE said ERROR_QUIET)
  if(said MATCHES "go([0-9]+\\.[0-9]+)")
    set(version ${CMAKE_MATCH_1})
  endif()
endif()
if(version VERSION_LESS 1.26)
  if("$ENV{CI}" STREQUAL "true")
    message(FATAL_ERROR "needs Go 1.26, and CI does not skip")
  endif()
  message("skipped: needs Go 1.26")
  return()
endif()

# Into a file of its own first: a run that is interrupted leaves no half of the cases behind.
execute_process(COMMAND "${go}" run . ${ARGUMENTS} WORKING_DIRECTORY "${PROGRAM}"
                OUTPUT_FILE "${OUTPUT}.part" RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the Go program in ${PROGRAM} failed: ${failed}")
endif()
file(RENAME "${OUTPUT}.part" "${OUTPUT}")
