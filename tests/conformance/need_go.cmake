# Finds Go as ${go}, for the module in the folder ${PROGRAM}. Without it there is nothing to compare
# with: ${go_is_missing} is set, and tests are skipped on a person's machine; where CI=true they
# fail, so that they cannot silently stop running.
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
  set(go_is_missing TRUE)
endif()
