#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "flyball/runtime/controller.h"

/// Fills secrets that people make for the tokens of service accounts, and keeps such secrets and
/// the accounts in line: secrets go with their account, and references with their secret. (Pods
/// have tokens of another kind, which need no secret.) Reads service accounts and those secrets;
/// writes both.
///
///   plan.h          what a secret lacks, whose it is, what a token says
///   token_signer.h  makes tokens
namespace flyball::controllers::service_account_token {

struct Options {
  std::size_t workers = 5;       ///< of each queue: --concurrent-serviceaccount-token-syncs
  std::string private_key = {};  ///< PEM: --service-account-private-key-file
  std::string root_ca = {};      ///< PEM: --root-ca-file, else what the manager's own client trusts
};

/// Null without a private key: then there is nobody to make tokens, and the controller is off.
Result<std::unique_ptr<runtime::Controller>> Make(const runtime::Controller::Deps& deps,
                                                  const Options& options);

}  // namespace flyball::controllers::service_account_token
