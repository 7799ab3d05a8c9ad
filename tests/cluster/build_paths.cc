#include "tests/cluster/build_paths.h"

namespace flyball::cluster {

std::filesystem::path SourceFolder() { return FLYBALL_SOURCE_FOLDER; }
std::filesystem::path BuildFolder() { return FLYBALL_BUILD_FOLDER; }
std::filesystem::path ProgramsFile() { return BuildFolder() / "tests/cluster/programs.txt"; }
std::filesystem::path ManagerProgram() { return FLYBALL_MANAGER; }

}  // namespace flyball::cluster
