#pragma once

#include <expected>
#include <utility>

#include "flyball/base/error.h"

namespace flyball {

/// What anything that can fail returns. Callers look at it or the compiler complains.
template <typename T = void>
using Result = std::expected<T, Error>;

/// `return Fail(ErrorCode::kNotFound, "no pod web-0");`
inline std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected(Error(code, std::move(message)));
}
inline std::unexpected<Error> Fail(ErrorCode code, std::string path, std::string message) {
  return std::unexpected(Error(code, std::move(path), std::move(message)));
}

}  // namespace flyball

/// Leaves the function with the error of a Result, or goes on with its value:
///   FLYBALL_TRY(client.Delete(key));              // Result<void>
///   FLYBALL_TRY(const auto pods, lister.List());  // Result<T>
#define FLYBALL_TRY(...) \
  FLYBALL_TRY_PICK_(__VA_ARGS__, FLYBALL_TRY_VALUE_, FLYBALL_TRY_VOID_)(__VA_ARGS__)

#define FLYBALL_TRY_PICK_(first, second, chosen, ...) chosen
#define FLYBALL_TRY_VOID_(expression)                        \
  do {                                                       \
    if (auto try_result = (expression); !try_result)         \
      return std::unexpected(std::move(try_result).error()); \
  } while (false)
#define FLYBALL_TRY_VALUE_(declaration, expression) \
  FLYBALL_TRY_NAMED_(declaration, expression, FLYBALL_TRY_CONCAT_(try_result_, __LINE__))
#define FLYBALL_TRY_NAMED_(declaration, expression, name)     \
  auto name = (expression);                                   \
  if (!name) return std::unexpected(std::move(name).error()); \
  declaration = *std::move(name)
#define FLYBALL_TRY_CONCAT_(a, b) FLYBALL_TRY_CONCAT2_(a, b)
#define FLYBALL_TRY_CONCAT2_(a, b) a##b
