#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"
#include "flyball/client/client.h"

namespace flyball::up {

/// The objects in a text of YAML documents, lists taken apart. Errors name the document.
Result<std::vector<api::Json>> ParseManifests(std::string_view text);

/// Those in a file, or in all files of a folder that end in .yaml, .yml or .json, by their names.
Result<std::vector<api::Json>> ReadManifests(const std::filesystem::path& path);

/// Has a server make objects so, in their order, whether they are there already or not. Ends at the
/// first that it refuses.
Result<> ApplyManifests(const client::Client& client, const std::vector<api::Json>& objects);

}  // namespace flyball::up
