#include "flyball/controllers/service_account_token/controller.h"

#include <optional>
#include <string>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/service_account_token/plan.h"
#include "flyball/controllers/service_account_token/token_signer.h"

namespace flyball::controllers::service_account_token {
namespace {

using core::v1::Secret;
using core::v1::ServiceAccount;
using queue::Priority;
using runtime::Context;
using runtime::Outcome;

/// Deletes this secret and no other of its name; one that is gone already is as good.
Result<> DeleteSecret(Context& context, const api::ObjectIdentity& secret) {
  auto deleted = context.Delete(client::Resource::Of<Secret>(), secret);
  if (deleted || deleted.error().code() == ErrorCode::kNotFound ||
      deleted.error().code() == ErrorCode::kConflict) {
    return {};
  }
  return deleted;
}

/// Accounts: when one goes, its tokens go.
class AccountReconciler {
 public:
  AccountReconciler(cache::Lister<ServiceAccount> accounts, cache::Lister<Secret> secrets)
      : accounts_(std::move(accounts)), secrets_(std::move(secrets)) {}

  Result<Outcome> operator()(Context& context, const AccountKey& key) const {
    const auto account = accounts_.Get({key.namespace_, key.name});
    if (account && account->metadata.uid == key.uid) return Outcome::Done();

    context.log().V(4).Info("Service account deleted, removing tokens",
                            {{"namespace", key.namespace_}, {"serviceaccount", key.name}});
    std::optional<Error> failure;
    for (const auto& secret : secrets_.InNamespace(key.namespace_)) {
      if (!IsTokenOf(*secret, key)) continue;
      if (auto deleted = DeleteSecret(context, api::IdentityOf(*secret)); !deleted) {
        failure = std::move(deleted).error();
      }
    }
    if (failure) return std::unexpected(*std::move(failure));
    return Outcome::Done();
  }

 private:
  const cache::Lister<ServiceAccount> accounts_;
  const cache::Lister<Secret> secrets_;
};

/// Secrets: they are filled; they go if there is no account for them; and when one goes, the
/// account forgets it.
class SecretReconciler {
 public:
  struct Deps {
    cache::Lister<ServiceAccount> accounts;
    cache::Lister<Secret> secrets;
    std::shared_ptr<const TokenSigner> signer;
    std::string root_ca;
  };
  explicit SecretReconciler(Deps deps) : deps_(std::move(deps)) {}

  Result<Outcome> operator()(Context& context, const SecretKey& key) const {
    if (key.account.empty()) {
      context.log().Error("Token secret names no service account",
                          {{"secret", api::KRef(key.namespace_, key.name)}});
      return Outcome::Done();
    }
    const auto secret = deps_.secrets.Get({key.namespace_, key.name});
    if (!secret || secret->metadata.uid != key.uid) {
      FLYBALL_TRY(Forget(context, key));
      return Outcome::Done();
    }
    FLYBALL_TRY(const auto account, FindAccount(context, key));
    if (account) {
      FLYBALL_TRY(Fill(context, *account, *secret));
    } else {
      context.log().V(4).Info("Service account does not exist, deleting token",
                              {{"secret", api::KObj(*secret)}});
      context.Decided("delete it: there is no service account for it");
      FLYBALL_TRY(DeleteSecret(context, api::IdentityOf(*secret)));
    }
    return Outcome::Done();
  }

 private:
  cache::Ref<ServiceAccount> CachedAccount(const SecretKey& key) const {
    const auto account = deps_.accounts.Get({key.namespace_, key.account});
    return account && IsMeant(key.account_uid, account->metadata.uid) ? account : nullptr;
  }

  /// What the cache does not have the server may: a secret is not deleted for want of an account
  /// that has just been made.
  Result<cache::Ref<ServiceAccount>> FindAccount(Context& context, const SecretKey& key) const {
    if (auto cached = CachedAccount(key)) return cached;
    auto live = context.client().Of<ServiceAccount>().Get({key.namespace_, key.account});
    if (!live && live.error().code() == ErrorCode::kNotFound) return nullptr;
    FLYBALL_TRY(live);
    if (!IsMeant(key.account_uid, live->metadata.uid)) return nullptr;
    return std::make_shared<const ServiceAccount>(*std::move(live));
  }

  Result<> Fill(Context& context, const ServiceAccount& account, const Secret& cached) const {
    if (!MissingIn(cached, deps_.root_ca).any()) return {};
    const api::ObjectKey key = api::ObjectKey::Of(cached);
    const auto live = context.client().Of<Secret>().Get(key);
    if (!live && live.error().code() == ErrorCode::kNotFound) return {};
    FLYBALL_TRY(live);
    if (live->metadata.resourceVersion != cached.metadata.resourceVersion) {
      context.log().V(2).Info("Secret is not up to date, skipping token population",
                              {{"secret", key}});
      return {};
    }
    const Missing missing = MissingIn(*live, deps_.root_ca);
    if (!missing.any()) return {};
    std::string token;
    if (missing.token) {
      FLYBALL_TRY(token, deps_.signer->Sign(ClaimsOf(account, *live)));
    }
    const auto updated = context.Update(Filled(*live, account, missing, deps_.root_ca, token));
    // Whoever wrote it, or deleted it, has its next turn coming.
    if (updated || updated.error().code() == ErrorCode::kConflict ||
        updated.error().code() == ErrorCode::kNotFound) {
      return {};
    }
    return std::unexpected(updated.error());
  }

  /// Takes a secret that is gone off its account. Only a conflict is worth another try.
  Result<> Forget(Context& context, const SecretKey& key) const {
    if (!CachedAccount(key)) return {};
    auto forgotten = TryToForget(context, key);
    if (forgotten || forgotten.error().code() == ErrorCode::kConflict) return forgotten;
    context.log().Error(forgotten.error(), "Removing secret reference",
                        {{"secret", api::KRef(key.namespace_, key.name)},
                         {"serviceAccount", api::KRef(key.namespace_, key.account)}});
    return {};
  }

  static Result<> TryToForget(Context& context, const SecretKey& key) {
    auto account = context.client().Of<ServiceAccount>().Get({key.namespace_, key.account});
    if (!account && account.error().code() == ErrorCode::kNotFound) return {};
    FLYBALL_TRY(account);
    if (!IsMeant(key.account_uid, account->metadata.uid)) return {};
    const auto without = WithoutReference(*std::move(account), key.name);
    if (!without) return {};
    const auto updated = context.Update(*without);
    if (updated || updated.error().code() == ErrorCode::kNotFound) return {};
    return std::unexpected(updated.error());
  }

  const Deps deps_;
};

/// Adds the keys of objects as they come, change and go.
template <typename T, typename Queue>
cache::EventHandler<T> AddsTo(Queue& queue) {
  const auto add = [&queue](const T& object, Priority priority) {
    if constexpr (std::is_same_v<T, Secret>) {
      queue.Add(SecretKey::Of(object), priority);
    } else {
      queue.Add(AccountKey::Of(object), priority);
    }
  };
  return {.added =
              [add](const auto& now, bool initial) {
                add(*now, initial ? Priority::kBackground : Priority::kLive);
              },
          .updated = [add](const auto&, const auto& now) { add(*now, Priority::kLive); },
          .deleted = [add](const auto& last, bool) { add(*last, Priority::kLive); }};
}

}  // namespace

Result<std::unique_ptr<runtime::Controller>> Make(const runtime::Controller::Deps& deps,
                                                  const Options& options) {
  constexpr int kMaxRetries = 10;
  if (options.private_key.empty()) return nullptr;
  FLYBALL_TRY(auto signer, TokenSigner::Create(options.private_key));

  auto controller = std::make_unique<runtime::Controller>("serviceaccount-token-controller", deps);
  const auto accounts = controller->Reads<ServiceAccount>();
  const auto secrets =
      controller->Reads<Secret>({.field_selector = "type=" + std::string(kSecretType)});
  // PARITY: both have the same name, and share their metrics.
  runtime::ReconcileOptions queue_options{.name = "serviceaccount_tokens_service",
                                          .workers = options.workers,
                                          .max_retries = kMaxRetries};
  auto& account_queue = controller->AddQueue<AccountKey>(
      queue_options, AccountReconciler(accounts.lister(), secrets.lister()));
  queue_options.keys_of = "secrets";
  auto& secret_queue = controller->AddQueue<SecretKey>(
      queue_options, SecretReconciler({.accounts = accounts.lister(),
                                       .secrets = secrets.lister(),
                                       .signer = std::move(signer),
                                       .root_ca = options.root_ca}));
  controller->On<ServiceAccount>(accounts, AddsTo<ServiceAccount>(account_queue));
  controller->On<Secret>(secrets, AddsTo<Secret>(secret_queue));
  return controller;
}

}  // namespace flyball::controllers::service_account_token
