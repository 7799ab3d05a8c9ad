#pragma once

#include <string>
#include <string_view>

#include "flyball/transport/http.h"

namespace flyball::endpoints {

/// Whether who asks takes an answer that is compressed so.
bool AcceptsGzip(const transport::Headers& headers);

std::string Gzip(std::string_view text);

}  // namespace flyball::endpoints
