#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/strategy_for.h"

namespace flyball::sandbox {
namespace {

using core::v1::ConfigMap;
using core::v1::Secret;

constexpr std::size_t kMaxData = 1 << 20;

void CheckFrozen(bool same, const std::string& path, FieldErrors& errors) {
  if (same) return;
  errors.push_back(FieldError::Forbidden(path, "field is immutable when `immutable` is set"));
}

class ConfigMapKind final : public StrategyFor<ConfigMap> {
  FieldErrors CheckNew(const ConfigMap& map, const Write&) const override {
    FieldErrors errors;
    std::size_t total = 0;
    for (const auto& [key, value] : map.data) {
      const std::string path = At("data", key);
      CheckDataKey(key, path, errors);
      if (map.binaryData.contains(key)) {
        errors.push_back(FieldError::Invalid(path, key, "duplicate of key present in binaryData"));
      }
      total += value.size();
    }
    for (const auto& [key, value] : map.binaryData) {
      CheckDataKey(key, At("binaryData", key), errors);
      total += value.size();
    }
    // PARITY: upstream has a path here, and nothing in it.
    if (total > kMaxData) errors.push_back(FieldError::TooLong("[]", kMaxData));
    return errors;
  }

  FieldErrors CheckChange(const ConfigMap& now, const ConfigMap& before,
                          const Write& write) const override {
    FieldErrors errors;
    if (before.immutable.value_or(false)) {
      CheckFrozen(now.immutable.value_or(false), "immutable", errors);
      CheckFrozen(now.data == before.data, "data", errors);
      CheckFrozen(now.binaryData == before.binaryData, "binaryData", errors);
    }
    for (FieldError& error : CheckNew(now, write)) errors.push_back(std::move(error));
    return errors;
  }
};

/// The keys that secrets of certain types must have.
void CheckSecretType(const Secret& secret, FieldErrors& errors) {
  const auto need = [&](const char* key) {
    if (!secret.data.contains(key)) errors.push_back(FieldError::Required(At("data", key), ""));
  };
  const std::string& type = secret.type;
  if (type == "kubernetes.io/service-account-token") {
    constexpr std::string_view kAccount = "kubernetes.io/service-account.name";
    const std::string* const account = secret.metadata.annotations.find(kAccount);
    if (account == nullptr || account->empty()) {
      errors.push_back(FieldError::Required(At("metadata.annotations", kAccount), ""));
    }
  } else if (type == "kubernetes.io/dockercfg") {
    need(".dockercfg");
  } else if (type == "kubernetes.io/dockerconfigjson") {
    need(".dockerconfigjson");
  } else if (type == "kubernetes.io/basic-auth") {
    if (!secret.data.contains("username") && !secret.data.contains("password")) {
      need("username");
      need("password");
    }
  } else if (type == "kubernetes.io/ssh-auth") {
    need("ssh-privatekey");
  } else if (type == "kubernetes.io/tls") {
    need("tls.crt");
    need("tls.key");
  }
}

class SecretKind final : public StrategyFor<Secret> {
  /// Text is for those who write it; what is read are bytes.
  void Settle(Secret& secret) const override {
    for (const auto& [key, text] : secret.stringData) secret.data[key] = api::Bytes(text);
    secret.stringData.clear();
  }

  StatusOr<> AdmitChange(Secret& now, const Secret& before, const Write&) const override {
    // Clients that leave the type open mean the one that it has.
    if (now.type.empty()) now.type = before.type;
    return {};
  }

  FieldErrors CheckNew(const Secret& secret, const Write&) const override {
    FieldErrors errors;
    std::size_t total = 0;
    for (const auto& [key, value] : secret.data) {
      CheckDataKey(key, At("data", key), errors);
      total += value.size();
    }
    if (total > kMaxData) errors.push_back(FieldError::TooLong("data", kMaxData));
    CheckSecretType(secret, errors);
    return errors;
  }

  FieldErrors CheckChange(const Secret& now, const Secret& before,
                          const Write& write) const override {
    FieldErrors errors;
    if (now.type != before.type) {
      errors.push_back(FieldError::Invalid("type", now.type, "field is immutable"));
    }
    if (before.immutable.value_or(false)) {
      CheckFrozen(now.immutable.value_or(false), "immutable", errors);
      CheckFrozen(now.data == before.data, "data", errors);
    }
    for (FieldError& error : CheckNew(now, write)) errors.push_back(std::move(error));
    return errors;
  }
};

}  // namespace

const RestStrategy& ConfigMapRestStrategy() {
  static const ConfigMapKind kStrategy;
  return kStrategy;
}

const RestStrategy& SecretRestStrategy() {
  static const SecretKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox
