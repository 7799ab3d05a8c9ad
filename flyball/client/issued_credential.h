#pragma once

#include <functional>
#include <optional>
#include <string>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"

namespace flyball::client {

/// What somebody who knows us gave us to prove who we are. Secrets: never to be logged.
struct IssuedCredential {
  std::string token;
  std::string certificate = {};  ///< PEM, as is the key; both or neither
  std::string key = {};
  std::optional<WallTime> expires = {};
  /// From when on another is asked for. If there is none to be had, this goes on being used.
  std::optional<WallTime> renew_from = {};

  friend bool operator==(const IssuedCredential&, const IssuedCredential&) = default;
};

/// Asks for one. May take its time; no lock is to be held.
using IssueCredential = std::function<Result<IssuedCredential>()>;

}  // namespace flyball::client
