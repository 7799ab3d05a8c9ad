# Every entry of ctest is made by a function of this file (`make lint` sees to it), which gives it
# exactly one kind, by what it may depend on:
#   virtual   pure, or deterministic in virtual time: it comes out the same every time. Never retried.
#   ordered   real processes, servers, threads: what happens, and in which order, never how long it
#             takes. Its patience is minutes and ends early.
#   timed     asserts seconds. It runs alone on the machine, with upstream's default lease times.
# Other labels: the folder's (`unit`, `cluster`, ...); `long` for what only `make test-all` runs, and
# with it `rotating` for what CI takes a part of in each run; `threads` for what the thread sanitizer
# is to see besides unit tests.
set(FLYBALL_KINDS virtual ordered timed)

# The longest first: tests/costs.txt has seconds by name.
set(costs "${PROJECT_SOURCE_DIR}/tests/costs.txt")
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${costs}")
file(STRINGS "${costs}" lines REGEX "^[^#]")
set(text "")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^([^\t]+)\t([0-9]+)$")
    message(FATAL_ERROR "${costs}: not NAME<tab>SECONDS: ${line}")
  endif()
  set(FLYBALL_COST_OF_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
  string(APPEND text "set_tests_properties([==[${CMAKE_MATCH_1}]==] PROPERTIES COST ${CMAKE_MATCH_2})\n")
endforeach()
set(FLYBALL_COSTS "${PROJECT_BINARY_DIR}/costs.cmake")
file(CONFIGURE OUTPUT "${FLYBALL_COSTS}" CONTENT "${text}" @ONLY)

function(flyball_check_test NAME KIND LABELS)
  if(NOT KIND IN_LIST FLYBALL_KINDS)
    message(FATAL_ERROR "${NAME}: KIND is one of ${FLYBALL_KINDS}, not \"${KIND}\"")
  endif()
  if(NOT LABELS)
    message(FATAL_ERROR "${NAME}: LABELS has its folder's, at least")
  endif()
endfunction()

# After those that discover tests, in each folder.
function(flyball_include_in_ctest FILE)
  get_property(files DIRECTORY PROPERTY TEST_INCLUDE_FILES)
  list(REMOVE_ITEM files "${FLYBALL_COSTS}")
  set_property(DIRECTORY PROPERTY TEST_INCLUDE_FILES ${files} ${FILE} "${FLYBALL_COSTS}")
endfunction()

# flyball_test(<name> KIND <kind> LABELS <labels>... COMMAND <command>... [PROPERTIES <properties>...])
function(flyball_test NAME)
  cmake_parse_arguments(ARG "" "KIND" "LABELS;COMMAND;PROPERTIES" ${ARGN})
  flyball_check_test("${NAME}" "${ARG_KIND}" "${ARG_LABELS}")
  add_test(NAME ${NAME} COMMAND ${ARG_COMMAND})
  set_tests_properties(${NAME} PROPERTIES LABELS "${ARG_LABELS};${ARG_KIND}" ${ARG_PROPERTIES})
  if(ARG_KIND STREQUAL "timed")
    set_tests_properties(${NAME} PROPERTIES RUN_SERIAL TRUE)
  endif()
  if(DEFINED FLYBALL_COST_OF_${NAME})
    set_tests_properties(${NAME} PROPERTIES COST ${FLYBALL_COST_OF_${NAME}})
  endif()
endfunction()

# flyball_discover_tests(<program> KIND <kind> LABELS <labels>... [FILTER <filter>]
#                        [PROPERTIES <properties>...]): its tests, or those of a gtest filter.
function(flyball_discover_tests PROGRAM)
  cmake_parse_arguments(ARG "" "KIND;FILTER" "LABELS;PROPERTIES" ${ARGN})
  flyball_check_test("${PROGRAM}" "${ARG_KIND}" "${ARG_LABELS}")
  include(GoogleTest)
  set(list ${PROGRAM}_${ARG_KIND}_tests)
  gtest_discover_tests(${PROGRAM} DISCOVERY_MODE PRE_TEST TEST_LIST ${list}
                       TEST_FILTER "${ARG_FILTER}" PROPERTIES ${ARG_PROPERTIES})
  # Not by its PROPERTIES, which take no lists.
  set(text "if(${list})\n  set_tests_properties(\${${list}} PROPERTIES LABELS \"${ARG_LABELS};${ARG_KIND}\")\n")
  if(ARG_KIND STREQUAL "timed")
    string(APPEND text "  set_tests_properties(\${${list}} PROPERTIES RUN_SERIAL TRUE)\n")
  endif()
  string(APPEND text "endif()\n")
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${list}.cmake")
  file(WRITE "${file}" "${text}")
  flyball_include_in_ctest("${file}")
endfunction()

# flyball_gtest(<program> KIND <kind> LABELS <labels>... [ORDERED <filters>...] [TIMED <filters>...]
#               [PROPERTIES <properties>...])
#
# The tests of a gtest program, one by one. ORDERED, TIMED: of those that these gtest filters match,
# where the others are of KIND.
function(flyball_gtest PROGRAM)
  cmake_parse_arguments(ARG "" "KIND" "LABELS;ORDERED;TIMED;PROPERTIES" ${ARGN})
  set(common LABELS ${ARG_LABELS} PROPERTIES ${ARG_PROPERTIES})
  foreach(kind ordered timed)
    string(TOUPPER ${kind} filters)
    if(ARG_${filters})
      list(JOIN ARG_${filters} ":" filter)
      flyball_discover_tests(${PROGRAM} KIND ${kind} FILTER "${filter}" ${common})
    endif()
  endforeach()
  set(named ${ARG_ORDERED} ${ARG_TIMED})
  if(named)
    list(JOIN named ":" filter)
    flyball_discover_tests(${PROGRAM} KIND "${ARG_KIND}" FILTER "-${filter}" ${common})
  else()
    flyball_discover_tests(${PROGRAM} KIND "${ARG_KIND}" ${common})
  endif()
endfunction()
