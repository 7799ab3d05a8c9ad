# cmake -DBUILD=<the build script> [-DNAMES=<programs>] -DOUTPUT=<file> -P build.cmake
#
# Runs the build script and keeps what it prints, for the test programs to find the programs by. An
# old output never stays, so that no test can pass on it.
cmake_minimum_required(VERSION 3.25)
file(REMOVE "${OUTPUT}")
execute_process(COMMAND "${BUILD}" ${NAMES} OUTPUT_FILE "${OUTPUT}.part" RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${BUILD} failed: ${failed}")
endif()
file(READ "${OUTPUT}.part" said)
if(said MATCHES "skipped: .*")
  message("${said}")
  return()
endif()
file(RENAME "${OUTPUT}.part" "${OUTPUT}")
