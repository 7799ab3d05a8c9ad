#pragma once

#include <cstdint>
#include <string>

#include "flyball/endpoints/user.h"

namespace flyball::endpoints {

/// What is to be allowed or not.
struct Attributes {
  User user;
  std::string verb;  ///< the method, in lower case: "get"
  std::string path;
};

enum class Decision : std::uint8_t {
  kAllowed,
  kDenied,     ///< whatever others say
  kNoOpinion,  ///< not allowed, if nobody else says so
};

struct Verdict {
  Decision decision = Decision::kNoOpinion;
  std::string reason = {};

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

}  // namespace flyball::endpoints
