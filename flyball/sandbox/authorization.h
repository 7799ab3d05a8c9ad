#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Who may do what. There are no roles: who the server itself made may do everything, everybody may
/// ask who they are, and others may do nothing.
namespace flyball::sandbox {

bool MayDoEverything(const std::vector<std::string>& groups);

/// Of what everybody may do: questions about oneself.
bool IsForEverybody(std::string_view plural);

}  // namespace flyball::sandbox
