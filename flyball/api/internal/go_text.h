#pragma once

#include <string>

#include "flyball/api/json.h"

namespace flyball::api {

/// A value as Go's %v prints it: `web`, `80`, `1e+06`, `<nil>`, `[a b]`, `map[a:1 b:2]`. Upstream
/// sorts and matches by this text, so that the number 80 and the string "80" are one.
std::string GoText(const Json& value);

/// As Go's %s prints it: what is no string says its type, `%!s(int64=80)`. Upstream keys maps with
/// it, where 80 and "80" are then two.
std::string GoStringText(const Json& value);

}  // namespace flyball::api
