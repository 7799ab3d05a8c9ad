#pragma once

#include <filesystem>

namespace flyball::cluster {

// Where things are on this machine. One small file is compiled with absolute paths: in the compile
// command of a test they would keep ccache from finding it in a clone at another path.

/// The root of the tree.
std::filesystem::path SourceFolder();
/// What `cmake --preset` made.
std::filesystem::path BuildFolder();

/// For Programs::Find().
std::filesystem::path ProgramsFile();
/// Our kube-controller-manager.
std::filesystem::path ManagerProgram();

}  // namespace flyball::cluster
