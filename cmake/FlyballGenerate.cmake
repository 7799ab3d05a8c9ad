# flyball_generate_api(<target> SCHEMA <folder> [VIEWS <file>])
#
# Generates C++ from every *.schema file of a folder and adds it to a target: for core.v1.schema the
# header flyball/api/core/v1.h and its table, one list of all kinds, and the views. Runs when a schema file or
# the generator changes; what comes out the same is not touched, so nothing rebuilds for it.
function(flyball_generate_api TARGET)
  cmake_parse_arguments(ARG "" "SCHEMA;VIEWS" "" ${ARGN})
  set(out "${CMAKE_CURRENT_BINARY_DIR}/generated")
  file(GLOB schemas CONFIGURE_DEPENDS "${ARG_SCHEMA}/*.schema")
  set(sources "${out}/flyball/api/all_kinds.cc")
  set(headers)
  foreach(schema ${schemas})
    get_filename_component(package "${schema}" NAME_WLE)
    string(REPLACE "." "/" package "${package}")
    list(APPEND sources "${out}/flyball/api/${package}_table.cc")
    list(APPEND headers "${out}/flyball/api/${package}.h")
  endforeach()

  set(views)
  if(ARG_VIEWS)
    set(views --views "${ARG_VIEWS}")
    list(APPEND sources "${out}/flyball/api/views_table.cc")
    list(APPEND headers "${out}/flyball/api/views.h")
  endif()

  if(TARGET flyball_generator)
    set(generator flyball_generator)
  else()
    set(generator Flyball::flyball gen)  # the installed command
  endif()
  add_custom_command(
    OUTPUT "${out}/generated.stamp"
    BYPRODUCTS ${sources} ${headers}
    COMMAND ${generator} api --schema "${ARG_SCHEMA}" ${views} --out "${out}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${out}/generated.stamp"
    DEPENDS ${generator} ${schemas} ${ARG_VIEWS}
    COMMENT "Generating C++ from ${ARG_SCHEMA}"
    VERBATIM)
  add_custom_target(${TARGET}_generate DEPENDS "${out}/generated.stamp")
  add_dependencies(${TARGET} ${TARGET}_generate)
  set_source_files_properties(${sources} ${headers} PROPERTIES GENERATED ON)
  target_sources(${TARGET} PRIVATE ${sources})
  target_include_directories(${TARGET} PUBLIC $<BUILD_INTERFACE:${out}>)
  install(DIRECTORY "${out}/flyball" DESTINATION include FILES_MATCHING PATTERN "*.h")
endfunction()
