#pragma once

#include <chrono>

#include "flyball/api/object_key.h"
#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/client/client.h"
#include "flyball/client/issued_credential.h"

namespace flyball::runtime {

/// Tokens of a service account, from the server, for one who may ask for them. So a manager lets
/// each controller act under a name of its own, with that name's permissions:
///
///   client::Credentials::Create(access, {.clock = clock,
///                                        .issue = ServiceAccountTokens({own, clock}, account)})
///
/// An account that is not there is made, and so is its namespace. Any thread may call it.
class ServiceAccountTokens {
 public:
  struct Deps {
    client::Client client;  ///< of who may ask
    Clock& clock;
    Logger log = {};
  };
  ServiceAccountTokens(Deps deps, api::ObjectKey account)
      : deps_(std::move(deps)), account_(std::move(account)) {}

  /// A token for an hour, to be renewed when a fifth of its life is left. Tries four times, over
  /// three and a half seconds.
  Result<client::IssuedCredential> operator()() const;

 private:
  Result<> MakeSureOfAccount() const;
  Result<client::IssuedCredential> Ask() const;

  Deps deps_;
  api::ObjectKey account_;
};

}  // namespace flyball::runtime
