#pragma once

#include <string_view>

namespace flyball {

/// Prints the place and reason and aborts. For a programmer's error only: whatever comes from the
/// network or a file is answered with an Error instead.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              std::string_view message);

}  // namespace flyball

#define FLYBALL_CHECK(condition, message) \
  (static_cast<bool>(condition)           \
       ? static_cast<void>(0)             \
       : ::flyball::CheckFailed(__FILE__, __LINE__, #condition, (message)))
