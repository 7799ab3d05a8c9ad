# cmake -DPROGRAM=<folder of a Go program> -DOUTPUT=<file> [-DINPUTS=<more files that it reads, a|b|c>]
#       [-DARGUMENTS=<a|b|c>] -P run_go.cmake
#
# Has what one of the Go programs here prints in a file. What it prints without arguments is kept for
# every run in which neither its source nor upstream's version has changed, Go or not. An old output
# never stays, so that no test can pass on it.
cmake_minimum_required(VERSION 3.25)
file(REMOVE "${OUTPUT}")
string(REPLACE "|" ";" ARGUMENTS "${ARGUMENTS}")
string(REPLACE "|" ";" INPUTS "${INPUTS}")
if(NOT ARGUMENTS)
  include("${CMAKE_CURRENT_LIST_DIR}/kept.cmake")
  file(GLOB sources "${PROGRAM}/*.go" "${PROGRAM}/*.s" "${CMAKE_CURRENT_LIST_DIR}/cases/*.go")
  cmake_path(GET PROGRAM FILENAME name)
  flyball_return_if_kept("${OUTPUT}" "${name}_cases" ${sources} "${CMAKE_CURRENT_LIST_DIR}/go.mod"
                    "${CMAKE_CURRENT_LIST_DIR}/go.sum" ${INPUTS})
endif()
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
if(NOT ARGUMENTS)
  flyball_keep("${OUTPUT}")
endif()
