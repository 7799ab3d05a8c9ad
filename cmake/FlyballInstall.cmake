# `make install`, and find_package(Flyball) for those who build on the library.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Flyball")
install(TARGETS flyball_base flyball_gen flyball_api flyball_crd flyball_transport
                flyball_client flyball_serving flyball_sandbox flyball_cache flyball_queue
                flyball_runtime flyball_simulation flyball_controllers EXPORT FlyballTargets)
install(DIRECTORY flyball DESTINATION include
        FILES_MATCHING PATTERN "*.h" PATTERN "internal" EXCLUDE PATTERN "cli" EXCLUDE
        PATTERN "manager" EXCLUDE PATTERN "ctl" EXCLUDE)
get_target_property(generated flyball_api FLYBALL_GENERATED)
install(DIRECTORY "${generated}/flyball" DESTINATION include FILES_MATCHING PATTERN "*.h")
install(EXPORT FlyballTargets NAMESPACE Flyball:: DESTINATION "${package_dir}")
write_basic_package_version_file(FlyballConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/FlyballConfig.cmake cmake/FlyballGenerate.cmake
              "${CMAKE_CURRENT_BINARY_DIR}/FlyballConfigVersion.cmake"
        DESTINATION "${package_dir}")
