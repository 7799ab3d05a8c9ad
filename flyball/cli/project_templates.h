#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace flyball::cli {

/// Path and text of each file of a new project, with @NAME@ and its like to be filled in.
std::span<const std::pair<std::string_view, std::string_view>> ProjectTemplates();

}  // namespace flyball::cli
