#pragma once

#include <string_view>

namespace flyball::api {

/// Whether every byte belongs to a well-formed character: no overlong form, no surrogate, nothing
/// above U+10FFFF.
bool IsValidUtf8(std::string_view text);

}  // namespace flyball::api
