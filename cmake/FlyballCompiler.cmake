# Language level, warnings, sanitizers, and the tools that make a build faster where they exist.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# Optimised enough that a sanitized suite finishes, with the lines a report needs. By clang: half of
# g++'s time for files half as large, whose checks are as many.
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1")
set(CMAKE_EXE_LINKER_FLAGS_SANITIZE "")

find_program(FLYBALL_CCACHE ccache)
if(FLYBALL_CCACHE)
  # By paths within the tree, so that a fresh clone anywhere finds what another one compiled. With room
  # for all presets: what one stage of CI compiles must not push out what the next one looks for.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_MAXSIZE=15G "${FLYBALL_CCACHE}")
endif()
find_program(FLYBALL_MOLD mold)
if(FLYBALL_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # One table and a small engine: sections nobody refers to go.
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-Wl,--gc-sections)
endif()

if(FLYBALL_SANITIZE)
  add_compile_options(-fsanitize=${FLYBALL_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  # An empty optional or vector that is asked for what it has is an error as well.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  # These checks take a quarter of the time that it takes to compile, and find what the address
  # sanitizer, or the processor, finds as well.
  add_compile_options(-fno-sanitize=vptr,null,alignment,object-size)
  add_link_options(-fsanitize=${FLYBALL_SANITIZE})
endif()
if(FLYBALL_SANITIZE STREQUAL "thread")
  # That sanitizer does not understand fences; what Asio hands over is under its mutexes too.
  add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()

# Our own code is built with these; headers of other projects are system headers and exempt.
add_library(flyball_warnings INTERFACE)
target_compile_options(flyball_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                                                  -Wnon-virtual-dtor -Wconversion
                                                  -Wno-sign-conversion)
if(FLYBALL_WERROR)
  target_compile_options(flyball_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside its own std::string and std::variant at -O2 (bugs 105329, 105562).
  target_compile_options(flyball_warnings INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
