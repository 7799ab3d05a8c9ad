#include "flyball/controllers/service_account_token/plan.h"

#include <algorithm>
#include <utility>

namespace flyball::controllers::service_account_token {
namespace {

using api::Json;
using core::v1::Secret;
using core::v1::ServiceAccount;

constexpr std::string_view kAccountName = "kubernetes.io/service-account.name";
constexpr std::string_view kAccountUid = "kubernetes.io/service-account.uid";
constexpr std::string_view kRootCa = "ca.crt";
constexpr std::string_view kNamespace = "namespace";
constexpr std::string_view kToken = "token";
constexpr std::string_view kIssuer = "kubernetes/serviceaccount";

std::string Annotation(const Secret& secret, std::string_view key) {
  const std::string* const value = secret.metadata.annotations.find(key);
  return value == nullptr ? std::string() : *value;
}

std::string_view Data(const Secret& secret, std::string_view key) {
  const auto* const value = secret.data.find(key);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

}  // namespace

AccountKey AccountKey::Of(const ServiceAccount& account) {
  return {account.metadata.namespace_, account.metadata.name, account.metadata.uid};
}

std::string AccountKey::ToString() const { return namespace_ + "/" + name; }

SecretKey SecretKey::Of(const Secret& secret) {
  return {secret.metadata.namespace_, secret.metadata.name, secret.metadata.uid,
          Annotation(secret, kAccountName), Annotation(secret, kAccountUid)};
}

std::string SecretKey::ToString() const { return namespace_ + "/" + name; }

bool IsTokenOf(const Secret& secret, const AccountKey& account) {
  return secret.type == kSecretType && Annotation(secret, kAccountName) == account.name &&
         IsMeant(Annotation(secret, kAccountUid), account.uid);
}

Missing MissingIn(const Secret& secret, std::string_view root_ca) {
  return {.root_ca = !root_ca.empty() && Data(secret, kRootCa) != root_ca,
          .namespace_ = Data(secret, kNamespace).empty(),
          .token = Data(secret, kToken).empty()};
}

Json ClaimsOf(const ServiceAccount& account, const Secret& secret) {
  const auto& [space, name, uid] = AccountKey::Of(account);
  return Json::Object{
      {"iss", kIssuer},
      {"sub", "system:serviceaccount:" + space + ":" + name},
      {"kubernetes.io/serviceaccount/namespace", space},
      {"kubernetes.io/serviceaccount/secret.name", secret.metadata.name},
      {"kubernetes.io/serviceaccount/service-account.name", name},
      {"kubernetes.io/serviceaccount/service-account.uid", uid},
  };
}

Secret Filled(Secret secret, const ServiceAccount& account, const Missing& missing,
              std::string_view root_ca, std::string_view token) {
  const auto set = [&](std::string_view key, std::string_view value) {
    secret.data[key] = api::Bytes(value);
  };
  if (missing.root_ca) set(kRootCa, root_ca);
  if (missing.namespace_) set(kNamespace, secret.metadata.namespace_);
  if (missing.token) set(kToken, token);
  secret.metadata.annotations[kAccountName] = account.metadata.name;
  secret.metadata.annotations[kAccountUid] = account.metadata.uid;
  return secret;
}

std::optional<ServiceAccount> WithoutReference(ServiceAccount account, std::string_view secret) {
  const auto removed = std::erase_if(
      account.secrets, [&](const core::v1::ObjectReference& at) { return at.name == secret; });
  if (removed == 0) return std::nullopt;
  return account;
}

}  // namespace flyball::controllers::service_account_token
