# What find_package(Flyball) offers, and what each part of it needs. This is the one place that says
# so: FlyballInstall.cmake makes the install tree and the pkg-config files from it, FlyballPackage.cmake
# what the Debian package depends on, and FlyballConfig.cmake, beside which it is installed, what a
# project gets.

# flyball_dependency(<name> [PACKAGE <arguments of find_package>...] [MODULE <prefix>]
#                    [PC <pkg-config module>] [LINK <flag>] [DEBIAN <package>])
#
# CMake finds it by PACKAGE, or by PC as the target PkgConfig::<MODULE>. A pkg-config file names PC, or
# the LINK flag of what has no such file.
macro(flyball_dependency NAME)
  cmake_parse_arguments(FLYBALL_DEPENDENCY_${NAME} "" "MODULE;PC;LINK;DEBIAN" "PACKAGE" ${ARGN})
endmacro()

# flyball_component(<name> FOLDERS <folders>... [USES <components>...] [NEEDS <dependencies>...])
#
# The libraries and headers of some folders of flyball/, each of which may use those before it and
# those of the components that are used. The target Flyball::<name> is the folder of that name.
macro(flyball_component NAME)
  list(APPEND FLYBALL_COMPONENTS ${NAME})
  cmake_parse_arguments(FLYBALL_COMPONENT_${NAME} "" "" "FOLDERS;USES;NEEDS" ${ARGN})
endmacro()

flyball_dependency(threads PACKAGE Threads LINK -pthread)
flyball_dependency(spdlog PACKAGE spdlog PC spdlog DEBIAN libspdlog-dev)
# Not by find_package(prometheus-cpp), which wants what its HTTP parts need: curl and a web server.
flyball_dependency(prometheus MODULE PROMETHEUS PC prometheus-cpp-core DEBIAN prometheus-cpp-dev)
flyball_dependency(yaml PACKAGE yaml-cpp PC yaml-cpp DEBIAN libyaml-cpp-dev)
flyball_dependency(boost PACKAGE Boost 1.81 COMPONENTS json LINK -lboost_json
                   DEBIAN libboost-json1.81-dev)
flyball_dependency(openssl PACKAGE OpenSSL PC openssl DEBIAN libssl-dev)
flyball_dependency(nghttp2 MODULE NGHTTP2 PC libnghttp2 DEBIAN libnghttp2-dev)
flyball_dependency(zlib PACKAGE ZLIB PC zlib DEBIAN zlib1g-dev)
flyball_dependency(sqlite PACKAGE SQLite3 PC sqlite3 DEBIAN libsqlite3-dev)
flyball_dependency(re2 MODULE RE2 PC re2 DEBIAN libre2-dev)

set(FLYBALL_COMPONENTS)
flyball_component(api FOLDERS base api NEEDS threads spdlog prometheus yaml boost)
flyball_component(client FOLDERS transport client USES api NEEDS boost openssl nghttp2 zlib)
flyball_component(runtime FOLDERS cache queue runtime USES client)
flyball_component(serving FOLDERS serving USES client NEEDS boost openssl nghttp2 zlib)
flyball_component(operator FOLDERS endpoints operator USES runtime serving NEEDS openssl)
flyball_component(sandbox FOLDERS gen crd sandbox USES serving
                  NEEDS boost openssl nghttp2 zlib sqlite re2)
flyball_component(simulation FOLDERS simulation USES runtime)
flyball_component(controllers FOLDERS controllers USES runtime NEEDS openssl)
flyball_component(testkit FOLDERS testkit USES operator sandbox simulation controllers)
