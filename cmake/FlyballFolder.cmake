# flyball_compile_together(<target> IN <folder> SOURCES <sources>... [ALONE <sources>...]
#                          [IGNORED <warnings>...])
#
# The groups are written into that folder, "together" or "together_tests", by which tools/lint_clang.py
# knows them. IGNORED: by g++, in these groups.
#
# Files are compiled a dozen at a time, those of a folder together: most of what a file takes is the
# types that it includes, which its neighbours include too. The price is that names which are meant
# for one file only have to differ within a folder.
#
# Not CMake's UNITY_BUILD: that includes by absolute paths, so that ccache finds nothing in a clone at
# another path. These groups include as everybody does, from the root of the tree.
function(flyball_compile_together TARGET)
  cmake_parse_arguments(ARG "" "IN" "SOURCES;ALONE;IGNORED" ${ARGN})
  set(dozen 12)
  if(ARG_ALONE)
    file(GLOB alone RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" ${ARG_ALONE})
    list(REMOVE_ITEM ARG_SOURCES ${alone})
  endif()
  list(SORT ARG_SOURCES)
  foreach(source IN LISTS ARG_SOURCES)
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND ${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(few 0)  # files in the group of small folders that is being filled
  foreach(folder IN LISTS folders)
    list(LENGTH ${folder} count)
    math(EXPR parts "(${count} + ${dozen} - 1) / ${dozen}")
    set(i 0)
    foreach(source IN LISTS ${folder})
      if(count LESS 6)
        math(EXPR part "${few} / ${dozen}")
        set(group few_${part})
        math(EXPR few "${few} + 1")
      else()
        math(EXPR part "${i} * ${parts} / ${count}")
        set(group ${folder}_${part})
        math(EXPR i "${i} + 1")
      endif()
      list(APPEND groups ${group})
      list(APPEND sources_${group} ${source})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES groups)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}"
             OUTPUT_VARIABLE here)
  foreach(group IN LISTS groups)
    # g++ takes what is included for a header, whose types should not be one file's.
    set(text "#if !defined(__clang__)\n")
    foreach(warning IN ITEMS -Wsubobject-linkage LISTS ARG_IGNORED)
      string(APPEND text "#pragma GCC diagnostic ignored \"${warning}\"\n")
    endforeach()
    string(APPEND text "#endif\n")
    foreach(source IN LISTS sources_${group})
      string(APPEND text "#include \"${here}/${source}\"\n")
    endforeach()
    set(file "${CMAKE_CURRENT_BINARY_DIR}/${ARG_IN}/${group}.cc")
    file(CONFIGURE OUTPUT "${file}" CONTENT "${text}" @ONLY)
    target_sources(${TARGET} PRIVATE "${file}")
    set_source_files_properties(${sources_${group}} PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
endfunction()

# flyball_folder(<name> [PUBLIC <libs>...] [PRIVATE <libs>...] [SOURCES <more>...]
#                       [TESTS <libs>...] [ALONE <sources>...] [ORDERED <filters>...]
#                       [SMALL] [SEQUENTIAL])
#
# ALONE: not compiled together with its neighbours (see flyball_compile_together), since it gives a
# name another meaning than they do. A file or a pattern.
#
# SMALL: compiled for size where people run it. For folders whose code runs seldom, or waits for a
# server most of the time: what is resident of a manager is mostly its own code.
#
# ORDERED: those of its tests that wait in real time, for threads or sockets, as gtest filters. All
# others are of the kind `virtual` (FlyballTests.cmake).
#
# SEQUENTIAL: its tests start no threads, and the thread sanitizer is spared them.
#
# One folder of flyball/ is one library, Flyball::<name>. What a file is follows from its name:
#   x_test.cc   goes into the test program <name>_test, one ctest entry a test, label `unit`; those
#               of an x_timed_test.cc, in suites called ...TimedTest, are of the kind `timed`
#   x_fake.cc   stands in for something in tests: goes into the library flyball_<name>_fakes
#   x_bench.cc  goes into <name>_bench (Google Benchmark), built by `make bench`
#   x_fuzz.cc   is one libFuzzer program of its own, built by `make fuzz` and `make asan`
#   main.cc     is left to the folder's own CMakeLists.txt
#   any other   goes into the library
# What is in internal/ belongs to the folder alone: it is not installed, and nobody else includes it
# (but for serving/, which is the other end of transport/'s connections).
function(flyball_folder NAME)
  cmake_parse_arguments(ARG "SMALL;SEQUENTIAL" "" "PUBLIC;PRIVATE;SOURCES;TESTS;ALONE;ORDERED" ${ARGN})
  file(GLOB all CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" *.cc */*.cc)
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(fakes ${all})
  list(FILTER fakes INCLUDE REGEX "_fake\\.cc$")
  set(benches ${all})
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  set(fuzzers ${all})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  set(sources ${all})
  list(FILTER sources EXCLUDE REGEX "(_test|_fake|_bench|_fuzz)\\.cc$|^main\\.cc$")

  set(library flyball_${NAME})
  add_library(${library} STATIC ${sources} ${ARG_SOURCES})
  add_library(Flyball::${NAME} ALIAS ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${NAME})
  target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                               $<INSTALL_INTERFACE:include>)
  target_link_libraries(${library} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE}
                                   PRIVATE $<BUILD_INTERFACE:flyball_warnings>)
  target_compile_features(${library} PUBLIC cxx_std_23)
  if(ARG_SMALL)
    # And sanitized with no time spent on making it fast: a third of the time to compile it.
    target_compile_options(${library} PRIVATE $<$<CONFIG:Release>:-Os> $<$<CONFIG:Sanitize>:-O0>)
  endif()

  if(FLYBALL_FUZZ)
    # They go by which parts of the libraries an input reaches.
    target_compile_options(${library} PRIVATE -fsanitize=fuzzer-no-link)
  endif()

  if(FLYBALL_TOGETHER)
    flyball_compile_together(${library} IN together SOURCES ${sources} ALONE ${ARG_ALONE})
  endif()

  if(fakes AND BUILD_TESTING)
    add_library(${library}_fakes STATIC ${fakes})
    target_link_libraries(${library}_fakes PUBLIC ${library} PRIVATE flyball_warnings)
    list(APPEND ARG_TESTS ${library}_fakes)
  endif()
  if(ARG_SEQUENTIAL AND FLYBALL_SANITIZE STREQUAL "thread")
    set(tests "")
  endif()
  if(tests AND BUILD_TESTING)
    find_package(GTest REQUIRED)
    add_executable(${NAME}_test ${tests})
    target_link_libraries(${NAME}_test PRIVATE ${library} ${ARG_PRIVATE} ${ARG_TESTS}
                                               flyball_warnings GTest::gmock_main)
    # What a test says runs once: to make it fast takes as long as all the rest of its compilation.
    target_compile_options(${NAME}_test PRIVATE -O0)
    if(FLYBALL_TOGETHER)
      list(FILTER ARG_ALONE INCLUDE REGEX "_test\\.cc$")  # a pattern like x_*.cc is about the library
      # g++ alone says that a parameter shadows what another file is `using`; clang sees the rest.
      flyball_compile_together(${NAME}_test IN together_tests SOURCES ${tests} ALONE ${ARG_ALONE}
                               IGNORED -Wshadow)
    endif()
    set(timed ${tests})
    list(FILTER timed INCLUDE REGEX "_timed_test\\.cc$")
    if(timed)
      set(timed TIMED *TimedTest.*)
    endif()
    flyball_gtest(${NAME}_test KIND virtual LABELS unit ORDERED ${ARG_ORDERED} ${timed}
                  PROPERTIES TIMEOUT 120)
  endif()
  if(benches)
    find_package(benchmark REQUIRED)
    add_executable(${NAME}_bench EXCLUDE_FROM_ALL ${benches})
    target_link_libraries(${NAME}_bench PRIVATE ${library} ${ARG_PRIVATE} flyball_warnings
                                                benchmark::benchmark_main)
  endif()
  if(fuzzers AND FLYBALL_FUZZ)
    foreach(source ${fuzzers})
      get_filename_component(program ${source} NAME_WE)
      get_filename_component(folder ${source} DIRECTORY)
      add_executable(${program} ${source})
      # Where its source is, which is where tools/fuzz looks for it.
      set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                  "${CMAKE_CURRENT_BINARY_DIR}/${folder}")
      target_compile_options(${program} PRIVATE -fsanitize=fuzzer)
      target_link_options(${program} PRIVATE -fsanitize=fuzzer)
      target_link_libraries(${program} PRIVATE ${library} flyball_warnings)
      add_dependencies(fuzz_programs ${program})
    endforeach()
  endif()
endfunction()
