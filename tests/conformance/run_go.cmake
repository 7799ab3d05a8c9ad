# cmake -DPROGRAM=<folder of a Go program> -DOUTPUT=<file> [-DARGUMENTS=<list>] -P run_go.cmake
#
# Runs one of the Go programs here and keeps what it prints. An old output never stays, so that no
# test can pass on it.
cmake_minimum_required(VERSION 3.25)
file(REMOVE "${OUTPUT}")
include("${CMAKE_CURRENT_LIST_DIR}/need_go.cmake")
if(go_is_missing)
  return()
endif()

# Into a file of its own first: a run that is interrupted leaves no half of the cases behind.
execute_process(COMMAND "${go}" run . ${ARGUMENTS} WORKING_DIRECTORY "${PROGRAM}"
                OUTPUT_FILE "${OUTPUT}.part" RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the Go program in ${PROGRAM} failed: ${failed}")
endif()
file(RENAME "${OUTPUT}.part" "${OUTPUT}")
