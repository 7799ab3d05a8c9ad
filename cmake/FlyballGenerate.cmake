# flyball_generate_api(<target> SCHEMA <folder> [VIEWS <file>...] [REGISTRY] [PRINTED <types>...])
#
# Generates C++ from every *.schema file of a folder and adds it to a target: for core.v1.schema the
# header flyball/api/core/v1.h and its table; the views of each file, in a header named after it; with
# REGISTRY the list of all kinds; for PRINTED types what DumpForHash() needs. Runs when a schema file
# or the generator changes; what comes out the same is not touched, so nothing rebuilds for it. The
# target's folder of generated headers is its property FLYBALL_GENERATED.
function(flyball_generate_api TARGET)
  cmake_parse_arguments(ARG "REGISTRY" "SCHEMA" "VIEWS;PRINTED" ${ARGN})
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
    string(JOIN "," views ${ARG_VIEWS})
    list(APPEND options --views "${views}")
    foreach(file ${ARG_VIEWS})
      get_filename_component(name "${file}" NAME_WE)
      list(APPEND sources "${out}/flyball/api/${name}_table.cc")
      list(APPEND headers "${out}/flyball/api/${name}.h")
    endforeach()
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
  flyball_add_generated(${TARGET} "${out}" ${sources} ${headers})
  set_target_properties(${TARGET} PROPERTIES FLYBALL_GENERATED "${out}")
endfunction()

# flyball_add_crd(<target> FILES <file>... [NAMESPACE <name>])
#
# Generates C++ from CustomResourceDefinitions (YAML or JSON, any number in a file) and adds it to a
# target, which is made, a static library, where there is none of that name. What somebody includes
# is named after the group and version: flyball/crds/cert_manager_io/v1.h for cert-manager.io/v1,
# with the types in flyball::cert_manager_io::v1; NAMESPACE stands for the group where it is given.
function(flyball_add_crd TARGET)
  cmake_parse_arguments(ARG "" "NAMESPACE" "FILES" ${ARGN})
  if(NOT TARGET ${TARGET})
    add_library(${TARGET} STATIC)
  endif()
  # A target may be given CRDs more than once.
  get_target_property(calls ${TARGET} FLYBALL_CRD_CALLS)
  if(NOT calls)
    set(calls 0)
  endif()
  math(EXPR calls "${calls} + 1")
  set_target_properties(${TARGET} PROPERTIES FLYBALL_CRD_CALLS ${calls})

  set(name "${TARGET}_crds${calls}")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  set(files)
  set(generated)
  foreach(file ${ARG_FILES})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    cmake_path(GET file STEM LAST_ONLY stem)
    list(APPEND files "${file}")
    list(APPEND generated "${out}/flyball/crds/${stem}_table.cc"
         "${out}/flyball/crds/${stem}_types.h")
  endforeach()
  set(options)
  if(ARG_NAMESPACE)
    set(options --namespace "${ARG_NAMESPACE}")
  endif()
  set(command Flyball::flyball)  # the installed command
  if(TARGET flyball_generator)
    set(command flyball)
  endif()
  add_custom_command(
    OUTPUT "${out}/generated.stamp"
    BYPRODUCTS ${generated}
    COMMAND ${command} gen crd --crd ${files} --out "${out}" ${options}
    COMMAND "${CMAKE_COMMAND}" -E touch "${out}/generated.stamp"
    DEPENDS ${command} ${files}
    COMMENT "Generating C++ from the CRDs of ${TARGET}"
    VERBATIM)
  add_custom_target(${name} DEPENDS "${out}/generated.stamp")
  add_dependencies(${TARGET} ${name})
  flyball_add_generated(${TARGET} "${out}" ${generated})
  target_link_libraries(${TARGET} PUBLIC Flyball::api)
endfunction()

# flyball_add_generated(<target> <folder> <file>...): compiles generated sources into a target.
function(flyball_add_generated TARGET FOLDER)
  # Tables and what containers of their types need: small is good, and sanitizers, which have the
  # engines to look at, would make six times as much of it.
  set_source_files_properties(${ARGN} PROPERTIES GENERATED ON
                              COMPILE_OPTIONS "-Os;-fno-sanitize=all")
  set(sources ${ARGN})
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  if(FLYBALL_TOGETHER)
    flyball_compile_generated_together(sources "${FOLDER}" ${sources})
  endif()
  target_sources(${TARGET} PRIVATE ${sources})
  target_include_directories(${TARGET} PUBLIC $<BUILD_INTERFACE:${FOLDER}>)
endfunction()

# flyball_compile_generated_together(<variable> <folder> <source>...): files that include the sources,
# a dozen each. A table by itself takes five times as long, nearly all of it for what it includes.
function(flyball_compile_generated_together GROUPS FOLDER)
  set(groups)
  set(count 0)
  foreach(source IN LISTS ARGN)
    math(EXPR group "${count} / 12")
    math(EXPR count "${count} + 1")
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${FOLDER}")
    list(APPEND groups ${group})
    string(APPEND text_${group} "#include \"${source}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES groups)
  set(files)
  foreach(group IN LISTS groups)
    set(file "${FOLDER}/together/tables_${group}.cc")
    file(CONFIGURE OUTPUT "${file}" CONTENT "${text_${group}}" @ONLY)
    set_source_files_properties("${file}" PROPERTIES COMPILE_OPTIONS "-Os;-fno-sanitize=all")
    list(APPEND files "${file}")
  endforeach()
  set(${GROUPS} ${files} PARENT_SCOPE)
endfunction()
