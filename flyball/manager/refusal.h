#pragma once

#include <string>
#include <utility>

#include "flyball/base/result.h"

namespace flyball::manager {

/// What somebody typed will not do. The message is upstream's, for people; nobody branches on it.
inline std::unexpected<Error> Refuse(std::string message) {
  return Fail(ErrorCode::kInvalid, std::move(message));
}

}  // namespace flyball::manager
