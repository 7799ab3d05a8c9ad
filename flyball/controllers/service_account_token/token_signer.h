#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::controllers::service_account_token {

/// Signs JSON web tokens with a private key: RS256 with one of RSA, ES256, ES384 or ES512 with one
/// of ECDSA, by its curve. The tokens name the key by a hash of its public half, as the API server
/// does that looks for it. Any thread.
class TokenSigner {
 public:
  /// From PEM: the first block that is a private key (PKCS #1, SEC 1, or PKCS #8, none of them
  /// encrypted). Other blocks are passed over.
  static Result<std::shared_ptr<const TokenSigner>> Create(std::string_view pem);
  virtual ~TokenSigner() = default;

  /// The claims as a token, in its compact form.
  virtual Result<std::string> Sign(const api::Json& claims) const = 0;
  /// The key's name in tokens.
  virtual const std::string& key_id() const = 0;
};

}  // namespace flyball::controllers::service_account_token
