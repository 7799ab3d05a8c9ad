#pragma once

#include <optional>
#include <string_view>

namespace flyball::api {

/// The text of a member of a JSON object, found without decoding its neighbours, however deep they
/// nest: what is left to look at of a document that no decoder takes. The last one, where several
/// have the name. Nothing if there is none, or if the text before it is not JSON.
std::optional<std::string_view> FindJsonMember(std::string_view object, std::string_view name);

}  // namespace flyball::api
