# `make package`: three Debian packages out of one installation, one a part of it
# (FlyballInstall.cmake). tests/install looks at them, and builds a project on them.
set(FLYBALL_MAINTAINER "The Flyball maintainers <maintainers@flyball.example>"
    CACHE STRING "Who answers for the Debian packages")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME flyball)
set(CPACK_PACKAGE_VENDOR Flyball)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_CONTACT "${FLYBALL_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_OUTPUT_FILE_PREFIX "${PROJECT_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_COMPONENTS_ALL dev manager cli)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# flyball_debian_package(<part> NAME <package> SECTION <section> SUMMARY <a line>
#                        DESCRIPTION <text> [SCRIPTS <maintainer scripts>...] [DOCS <files>...]
#                        [MANUAL <page>] [DEPENDS|RECOMMENDS <packages>])
#
# SUMMARY and DESCRIPTION are those of apt. Programs depend on the libraries that they are linked to.
macro(flyball_debian_package PART)
  cmake_parse_arguments(ARG "" "NAME;SECTION;SUMMARY;DESCRIPTION;MANUAL;DEPENDS;RECOMMENDS"
                        "SCRIPTS;DOCS" ${ARGN})
  string(TOUPPER ${PART} part)
  set(CPACK_DEBIAN_${part}_PACKAGE_NAME ${ARG_NAME})
  set(CPACK_DEBIAN_${part}_PACKAGE_SECTION ${ARG_SECTION})
  set(CPACK_DEBIAN_${part}_DESCRIPTION "${ARG_SUMMARY}\n${ARG_DESCRIPTION}")
  set(CPACK_DEBIAN_${part}_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_${part}_PACKAGE_CONTROL_EXTRA ${ARG_SCRIPTS})
  foreach(field DEPENDS RECOMMENDS)
    if(ARG_${field})
      set(CPACK_DEBIAN_${part}_PACKAGE_${field} "${ARG_${field}}")
    endif()
  endforeach()
  flyball_install_documents(${PART} ${ARG_NAME} ${ARG_DOCS})
  if(ARG_MANUAL)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${ARG_MANUAL}")
    flyball_install_compressed(${PART} "${ARG_MANUAL}" "${CMAKE_INSTALL_MANDIR}/man1")
  endif()
endmacro()

# flyball_install_compressed(<part> <file> <folder>): packed, as Debian wants it.
function(flyball_install_compressed PART FILE FOLDER)
  cmake_path(GET FILE FILENAME name)
  set(packed "${PROJECT_BINARY_DIR}/debian/${PART}-${name}.gz")
  execute_process(COMMAND gzip -9nc "${FILE}" OUTPUT_FILE "${packed}" COMMAND_ERROR_IS_FATAL ANY)
  install(FILES "${packed}" RENAME "${name}.gz" DESTINATION "${FOLDER}" COMPONENT ${PART})
endfunction()

# What Debian wants to find of every package, and more that is worth reading.
function(flyball_install_documents PART PACKAGE)
  set(folder "${CMAKE_INSTALL_DATADIR}/doc/${PACKAGE}")
  set(changelog "${PROJECT_BINARY_DIR}/debian/${PACKAGE}/changelog")
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE "${changelog}" "${PACKAGE} (${PROJECT_VERSION}) unstable; urgency=medium\n\n"
                            "  * CHANGELOG.md of the sources says what is new.\n\n"
                            " -- ${FLYBALL_MAINTAINER}  ${date}\n")
  flyball_install_compressed(${PART} "${changelog}" "${folder}")
  install(FILES packaging/debian/copyright ${ARGN} DESTINATION "${folder}" COMPONENT ${PART})
endfunction()

set(debian_needs "flyball (= ${PROJECT_VERSION})")
foreach(component ${FLYBALL_COMPONENTS})
  foreach(dependency ${FLYBALL_COMPONENT_${component}_NEEDS})
    list(APPEND debian_needs ${FLYBALL_DEPENDENCY_${dependency}_DEBIAN})
  endforeach()
endforeach()
list(REMOVE_DUPLICATES debian_needs)
string(JOIN ", " debian_needs ${debian_needs} pkg-config)

flyball_debian_package(
  dev
  NAME libflyball-dev
  SECTION libdevel
  SUMMARY "Kubernetes controllers in C++: headers and static libraries"
  DESCRIPTION
    "Types of the Kubernetes API with their codecs, a client, informers, work
queues, leader election and what runs a controller, for programs in C++23,
with an embedded API server and simulated nodes to test them on.
.
CMake finds it with find_package(Flyball), pkg-config as flyball-runtime."
  DEPENDS "${debian_needs}"
  RECOMMENDS "g++ (>= 4:12), cmake (>= 3.25)"
  DOCS README.md docs/library.md docs/operators.md)
flyball_debian_package(
  manager
  NAME kube-controller-manager-flyball
  SECTION admin
  SUMMARY "Controller manager of Kubernetes, in C++"
  DESCRIPTION
    "Takes the place of upstream's kube-controller-manager: the same flags,
leases, events, metrics and behaviour, for a fraction of the memory.
.
The service is neither enabled nor started: it needs the credentials of
a cluster."
  DEPENDS tzdata
  RECOMMENDS ca-certificates
  SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/debian/postinst"
          "${PROJECT_SOURCE_DIR}/packaging/debian/prerm"
          "${PROJECT_SOURCE_DIR}/packaging/debian/postrm"
  MANUAL "${PROJECT_SOURCE_DIR}/packaging/man/kube-controller-manager.1"
  DOCS docs/manager.md docs/controllers.md docs/metrics.md)
flyball_debian_package(
  cli
  NAME flyball
  SECTION admin
  SUMMARY "Kubernetes cluster in one process, and kubectl's verbs"
  DESCRIPTION
    "Runs an API server, simulated nodes, a scheduler and the controllers in
one process, for trying things out and for tests (flyball up). Does what
kubectl does (flyball get, apply and others), says why an object is as it
is (flyball trace), and writes C++ types (flyball gen)."
  RECOMMENDS "ca-certificates, tzdata"
  MANUAL "${PROJECT_SOURCE_DIR}/packaging/man/flyball.1"
  DOCS docs/tour.md docs/sandbox.md docs/simulation.md)
include(CPack)
