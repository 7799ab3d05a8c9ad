#pragma once

#include "flyball/transport/http.h"

namespace flyball::endpoints {

/// Whether who asks takes an answer that is compressed so.
bool AcceptsGzip(const transport::Headers& headers);

}  // namespace flyball::endpoints
