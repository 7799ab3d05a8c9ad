# `make install`, and find_package(Flyball) and pkg-config for those who build on the library.
#
# Each file belongs to one part of an installation, which is a Debian package too
# (FlyballPackage.cmake): `dev` is the library, `manager` the program, `cli` the command.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(FlyballComponents)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Flyball")

# flyball_install_component(<component>): its libraries, their headers, and who they are for CMake.
function(flyball_install_component NAME)
  set(targets ${FLYBALL_COMPONENT_${NAME}_FOLDERS})
  list(TRANSFORM targets PREPEND flyball_)
  install(TARGETS ${targets} EXPORT FlyballTargets-${NAME}
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
  install(EXPORT FlyballTargets-${NAME} NAMESPACE Flyball:: DESTINATION "${package_dir}"
          COMPONENT dev)
  list(TRANSFORM FLYBALL_COMPONENT_${NAME}_FOLDERS PREPEND flyball/ OUTPUT_VARIABLE folders)
  install(DIRECTORY ${folders} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/flyball" COMPONENT dev
          FILES_MATCHING PATTERN "*.h" PATTERN "internal" EXCLUDE PATTERN "schema" EXCLUDE)
endfunction()

# flyball_install_pkg_config(<component>): flyball-<component>.pc.
#
# The libraries are static, so that everything which they use is on the command line of whoever links
# them, with `pkg-config --static` and without: there is nothing private.
function(flyball_install_pkg_config NAME)
  set(requires ${FLYBALL_COMPONENT_${NAME}_USES})
  list(TRANSFORM requires PREPEND flyball-)
  list(TRANSFORM requires APPEND " = ${PROJECT_VERSION}")
  # A linker takes from an archive what was asked for before it: who uses comes before who is used.
  set(libs ${FLYBALL_COMPONENT_${NAME}_FOLDERS})
  list(REVERSE libs)
  list(TRANSFORM libs PREPEND -lflyball_)
  foreach(dependency ${FLYBALL_COMPONENT_${NAME}_NEEDS})
    list(APPEND requires ${FLYBALL_DEPENDENCY_${dependency}_PC})
    list(APPEND libs ${FLYBALL_DEPENDENCY_${dependency}_LINK})
  endforeach()
  string(JOIN ", " requires ${requires})
  string(JOIN " " libs ${libs})
  # Where it stands says where the rest is: the tree may be moved.
  string(REGEX REPLACE "[^/]+" ".." up "${CMAKE_INSTALL_LIBDIR}")
  configure_file(cmake/flyball.pc.in flyball-${NAME}.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/flyball-${NAME}.pc"
          DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endfunction()

foreach(component ${FLYBALL_COMPONENTS})
  flyball_install_component(${component})
  flyball_install_pkg_config(${component})
endforeach()
# Each function has a section of its own; a program is a third smaller without those it does not use.
target_link_options(flyball_base INTERFACE $<INSTALL_INTERFACE:-Wl,--gc-sections>)

get_target_property(generated flyball_api FLYBALL_GENERATED)
install(DIRECTORY "${generated}/flyball" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev
        FILES_MATCHING PATTERN "*.h")

if(TARGET flyball)  # which generates, for flyball_add_crd()
  install(EXPORT FlyballTargets-generator NAMESPACE Flyball:: DESTINATION "${package_dir}"
          COMPONENT dev)
endif()
write_basic_package_version_file(FlyballConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/FlyballConfig.cmake cmake/FlyballComponents.cmake cmake/FlyballGenerate.cmake
              "${CMAKE_CURRENT_BINARY_DIR}/FlyballConfigVersion.cmake"
        DESTINATION "${package_dir}" COMPONENT dev)
