#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace flyball::api {

/// Which of two versions of one resource is the later one. Since Kubernetes v1.35 they are decimal
/// numbers, of any length. Nothing if one of them is not: then nobody knows.
std::optional<std::strong_ordering> CompareResourceVersions(std::string_view a, std::string_view b);

}  // namespace flyball::api
