#pragma once

#include <string_view>

namespace flyball::api {

/// The tag that an image reference ("registry.example:5000/team/web:v1@sha256:...") stands for:
/// "latest" where it has neither tag nor digest, empty where it has a digest alone or where it is
/// no valid reference.
std::string_view ImageTag(std::string_view image);

}  // namespace flyball::api
