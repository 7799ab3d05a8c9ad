#pragma once

#include <span>
#include <string>
#include <vector>

#include "flyball/base/error.h"

/// Errors as kubectl tells them.
namespace flyball::ctl {

/// What went wrong in a command; none: nothing did. One that looks at several objects goes on after
/// the first.
using Errors = std::vector<Error>;

/// An error that is the command's own, not the server's: it is told as "error: ...".
inline Error UsageError(std::string message) { return {ErrorCode::kMalformed, std::move(message)}; }

/// Whether it is an API server's refusal.
bool IsFromServer(const Error& error);

/// `Error from server (NotFound): pods "x" not found`, with the end of the line.
std::string ErrorText(std::span<const Error> errors);

/// The same error, which came up while something was done with what a file says.
Error WithSource(const Error& error, std::string_view doing, std::string_view source);

}  // namespace flyball::ctl
