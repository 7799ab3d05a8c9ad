#pragma once

#include <string>

#include "flyball/base/result.h"

namespace flyball::client {

/// The whole of a file: kNotFound if there is none, kIo if it cannot be read. The message has the
/// file's name.
Result<std::string> ReadFile(const std::string& file);

}  // namespace flyball::client
