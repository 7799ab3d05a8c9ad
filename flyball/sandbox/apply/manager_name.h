#pragma once

#include <string>
#include <string_view>

namespace flyball::sandbox::apply {

/// Who writes, where the request does not say: what the user agent has before its first "/",
/// without what cannot be printed, and at most 128 bytes of it.
std::string ManagerFromUserAgent(std::string_view user_agent);

}  // namespace flyball::sandbox::apply
