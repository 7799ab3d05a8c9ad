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

/// The same as URLs and tokens carry them: the alphabet of RFC 4648, section 5, without padding.
std::string EncodeBase64Url(std::string_view bytes);
Result<std::string> DecodeBase64Url(std::string_view text);

}  // namespace flyball::api
