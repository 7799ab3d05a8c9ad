#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/names.h"
#include "flyball/base/clock.h"
#include "flyball/sandbox/request.h"
#include "flyball/sandbox/rest_strategy.h"

namespace flyball::sandbox {

/// Makes and reads the tokens of service accounts: JSON web tokens with the claims that upstream's
/// have. They are signed with a key that lives and ends with the server. Any thread.
class TokenIssuer {
 public:
  explicit TokenIssuer(const api::RandomBits& random);

  struct BoundObject {
    std::string kind, name, uid;
  };
  struct Claims {
    std::string namespace_, account, account_uid;
    std::vector<std::string> audiences;
    std::int64_t issued = 0;  ///< seconds since 1970
    std::int64_t expires = 0;
    std::string id;
    std::optional<BoundObject> bound = {};
  };
  std::string Sign(const Claims& claims) const;
  /// None if it is no token of this server.
  std::optional<Claims> Read(std::string_view token) const;

  /// Whose token it is; none if it is not this server's, has expired, or if the account, or what
  /// the token is bound to, is no more. `audiences`: one of those it must be for, if any are named.
  std::optional<User> Verify(std::string_view token, const StrategyContext& context,
                             const std::vector<std::string>& audiences) const;

 private:
  std::string SignatureOf(std::string_view text) const;

  std::string key_;
};

/// What tokens are for if nothing else is asked for: this server.
inline constexpr std::string_view kServerAudience = "https://kubernetes.default.svc";

}  // namespace flyball::sandbox
