#pragma once

#include <string_view>

namespace flyball::serving {

/// Whether a header, in lower case, is about the connection that it came over, and so of no use to
/// whoever is behind it: it is dropped from requests, and from answers.
bool BelongsToConnection(std::string_view name);

/// Whether a header can be written as it is: nothing in it ends the line.
bool IsHeaderText(std::string_view name, std::string_view value);

}  // namespace flyball::serving
