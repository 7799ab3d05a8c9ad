# cmake -DGENERATOR=<folder of the Go program> -DOUTPUT=<file> -P generate.cmake
#
# Writes the conformance cases. Without Go there is nothing to compare with: the tests are skipped
# on a person's machine, and fail where CI=true, so that they cannot silently stop running.
cmake_minimum_required(VERSION 3.25)
file(REMOVE "${OUTPUT}")

set(version 0)
find_program(go go)
if(go)
  execute_process(COMMAND "${go}" env GOVERSION WORKING_DIRECTORY "${GENERATOR}"
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
execute_process(COMMAND "${go}" run . WORKING_DIRECTORY "${GENERATOR}"
                OUTPUT_FILE "${OUTPUT}.part" RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the generator in ${GENERATOR} failed: ${failed}")
endif()
file(RENAME "${OUTPUT}.part" "${OUTPUT}")
