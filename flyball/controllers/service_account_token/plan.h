#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"

namespace flyball::controllers::service_account_token {

/// The secrets that this is about.
inline constexpr std::string_view kSecretType = "kubernetes.io/service-account-token";

/// A service account that changed or went. The uid tells it from others of its name.
struct AccountKey {
  std::string namespace_;
  std::string name;
  std::string uid;

  static AccountKey Of(const core::v1::ServiceAccount& account);
  std::string ToString() const;
  friend auto operator<=>(const AccountKey&, const AccountKey&) = default;
};

/// A secret that changed or went, and the account that it says it is for, whose uid may be unknown:
/// people name accounts, not uids.
struct SecretKey {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string account;
  std::string account_uid;

  static SecretKey Of(const core::v1::Secret& secret);
  std::string ToString() const;
  friend auto operator<=>(const SecretKey&, const SecretKey&) = default;
};

/// Whether an object of this uid is meant, where the wanted one may be empty: any.
inline bool IsMeant(std::string_view wanted, std::string_view uid) {
  return wanted.empty() || wanted == uid;
}

/// Whether a secret holds a token of this account.
bool IsTokenOf(const core::v1::Secret& secret, const AccountKey& account);

/// What a secret lacks.
struct Missing {
  bool root_ca = false;  ///< or it has another
  bool namespace_ = false;
  bool token = false;

  bool any() const { return root_ca || namespace_ || token; }
  friend bool operator==(const Missing&, const Missing&) = default;
};
/// Without a root CA of our own the secret may have any.
Missing MissingIn(const core::v1::Secret& secret, std::string_view root_ca);

/// What a token says of whom it is for.
api::Json ClaimsOf(const core::v1::ServiceAccount& account, const core::v1::Secret& secret);

/// The secret with what it lacks. `token` is empty if it has one.
core::v1::Secret Filled(core::v1::Secret secret, const core::v1::ServiceAccount& account,
                        const Missing& missing, std::string_view root_ca, std::string_view token);

/// The account without its references to a secret; nothing if it has none.
std::optional<core::v1::ServiceAccount> WithoutReference(core::v1::ServiceAccount account,
                                                         std::string_view secret);

}  // namespace flyball::controllers::service_account_token

template <>
struct std::hash<flyball::controllers::service_account_token::AccountKey> {
  std::size_t operator()(const flyball::controllers::service_account_token::AccountKey& key) const {
    return std::hash<std::string>()(key.uid);
  }
};
template <>
struct std::hash<flyball::controllers::service_account_token::SecretKey> {
  std::size_t operator()(const flyball::controllers::service_account_token::SecretKey& key) const {
    return std::hash<std::string>()(key.uid);
  }
};
