# flyball_generate_api(<target> SCHEMA <folder> [VIEWS <file>] [REGISTRY] [PRINTED <types>...])
#
# Generates C++ from every *.schema file of a folder and adds it to a target: for core.v1.schema the
# header flyball/api/core/v1.h and its table; the views; with REGISTRY the list of all kinds; for
# PRINTED types what DumpForHash() needs. Runs when a schema file or the generator changes; what
# comes out the same is not touched, so nothing rebuilds for it. The target's folder of generated
# headers is its property FLYBALL_GENERATED.
function(flyball_generate_api TARGET)
  cmake_parse_arguments(ARG "REGISTRY" "SCHEMA;VIEWS" "PRINTED" ${ARGN})
  set(out "${CMAKE_CURRENT_BINARY_DIR}/generated")
  file(GLOB schemas CONFIGURE_DEPENDS "${ARG_SCHEMA}/*.schema")
  set(sources)
  set(headers)
  foreach(schema ${schemas})
    get_filename_component(package "${schema}" NAME_WLE)
    string(REPLACE "." "/" package "${package}")
    list(APPEND sources "${out}/flyball/api/${package}_table.cc")
    list(APPEND headers "${out}/flyball/api/${package}.h")
  endforeach()

  set(options)
  if(ARG_REGISTRY)
    list(APPEND options --registry)
    list(APPEND sources "${out}/flyball/api/all_kinds.cc")
  endif()
  if(ARG_PRINTED)
    string(JOIN "," printed ${ARG_PRINTED})
    list(APPEND options --printed "${printed}")
  endif()
  if(ARG_VIEWS)
    list(APPEND options --views "${ARG_VIEWS}")
    list(APPEND sources "${out}/flyball/api/views_table.cc")
    list(APPEND headers "${out}/flyball/api/views.h")
  endif()

  if(TARGET flyball_generator)
    set(generator flyball_generator)
    set(command flyball_generator)
  else()
    set(generator Flyball::flyball)  # the installed command
    set(command Flyball::flyball gen)
  endif()
  add_custom_command(
    OUTPUT "${out}/generated.stamp"
    BYPRODUCTS ${sources} ${headers}
    COMMAND ${command} api --schema "${ARG_SCHEMA}" ${options} --out "${out}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${out}/generated.stamp"
    DEPENDS ${generator} ${schemas} ${ARG_VIEWS}
    COMMENT "Generating C++ from ${ARG_SCHEMA}"
    VERBATIM)
  add_custom_target(${TARGET}_generate DEPENDS "${out}/generated.stamp")
  add_dependencies(${TARGET} ${TARGET}_generate)
  # Tables and what containers of their types need: small is good, and sanitizers, which have the
  # engines to look at, would make six times as much of it.
  set_source_files_properties(${sources} ${headers} PROPERTIES GENERATED ON
                              COMPILE_OPTIONS "-Os;-fno-sanitize=all")
  target_sources(${TARGET} PRIVATE ${sources})
  target_include_directories(${TARGET} PUBLIC $<BUILD_INTERFACE:${out}>)
  set_target_properties(${TARGET} PROPERTIES FLYBALL_GENERATED "${out}")
endfunction()
