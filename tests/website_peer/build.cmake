# cmake -DOUTPUT=<file> -P build.cmake
#
# Builds the program here. It is kept until its sources change, for every checkout; an old one
# never stays, so that no test can compare with it.
cmake_minimum_required(VERSION 3.25)
file(REMOVE "${OUTPUT}")
set(PROGRAM "${CMAKE_CURRENT_LIST_DIR}")
include("${CMAKE_CURRENT_LIST_DIR}/../conformance/kept.cmake")
file(GLOB sources "${PROGRAM}/*.go" "${PROGRAM}/go.mod" "${PROGRAM}/go.sum")
flyball_return_if_kept("${OUTPUT}" website_peer ${sources})
include("${CMAKE_CURRENT_LIST_DIR}/../conformance/need_go.cmake")
if(go_is_missing)
  return()
endif()
execute_process(COMMAND "${go}" build -o "${OUTPUT}" . WORKING_DIRECTORY "${PROGRAM}"
                RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the Go program in ${PROGRAM} was not built: ${failed}")
endif()
flyball_keep("${OUTPUT}")
