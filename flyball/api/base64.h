#pragma once

#include <string>
#include <string_view>

#include "flyball/base/result.h"

namespace flyball::api {

/// Bytes as JSON carries them: the standard alphabet, padded.
std::string EncodeBase64(std::string_view bytes);

/// The reverse. Line ends are skipped wherever they stand; padding must be there; any other
/// character is an error. Left-over bits of the last character are not looked at, as upstream.
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace flyball::api
