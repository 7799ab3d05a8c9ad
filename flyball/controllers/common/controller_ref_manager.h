#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/label_selector.h"
#include "flyball/api/meta/v1.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/runtime/context.h"

namespace flyball::controllers::common {

/// What claiming an object for an owner comes to.
enum class ClaimDecision : std::uint8_t {
  kOwned,    ///< the owner controls it, and its selector matches
  kNone,     ///< another's, not selected, or not to be touched
  kAdopt,    ///< an orphan that the selector matches
  kRelease,  ///< the owner controls it, and its selector no longer matches
};

/// Decides by controller reference, namespace and deletion timestamps. `wanted`: the owner's
/// selector matches.
template <typename Owner, typename T>
ClaimDecision DecideClaim(const T& object, const Owner& owner, bool wanted) {
  const bool owner_goes = owner.metadata.deletionTimestamp.has_value();
  if (const auto* const controller = ControllerOf(object)) {
    if (controller->uid != owner.metadata.uid) return ClaimDecision::kNone;
    // Keeping what is its own takes no write: that an owner may while it is being deleted.
    if (wanted) return ClaimDecision::kOwned;
    return owner_goes ? ClaimDecision::kNone : ClaimDecision::kRelease;
  }
  if (owner_goes || !wanted || object.metadata.deletionTimestamp) return ClaimDecision::kNone;
  if (std::string_view(object.metadata.namespace_) != owner.metadata.namespace_) {
    return ClaimDecision::kNone;
  }
  return ClaimDecision::kAdopt;
}

/// The patch that makes `owner` the controller of the object with this uid, and the one that ends
/// it. A server that has another object by then refuses both. The finalizer, if there is one, comes
/// and goes with the owner.
std::string AdoptionPatch(const meta::v1::OwnerReference& owner, std::string_view uid,
                          std::string_view finalizer = {});
std::string ReleasePatch(std::string_view owner_uid, std::string_view uid,
                         std::string_view finalizer = {});

/// Adopts and releases objects as DecideClaim() says, for one owner and one reconcile.
class ControllerRefManager {
 public:
  /// Reads the owner from the server, not from a cache, which may not know of its deletion yet.
  using ReadOwner = std::function<Result<meta::v1::ObjectMeta>()>;

  ControllerRefManager(runtime::Context& context, meta::v1::OwnerReference owner, ReadOwner read,
                       std::string_view finalizer = {})
      : context_(context),
        owner_(std::move(owner)),
        read_(std::move(read)),
        finalizer_(finalizer) {}

  /// False if the object has gone meanwhile.
  Result<bool> Adopt(const client::Resource& resource, const api::ObjectIdentity& object);
  Result<> Release(const client::Resource& resource, const api::ObjectIdentity& object);

 private:
  Result<> MayAdopt();
  void LogRelease(const client::Resource& resource, const api::ObjectKey& key) const;

  runtime::Context& context_;
  const meta::v1::OwnerReference owner_;
  const ReadOwner read_;
  const std::string finalizer_;
  std::optional<Result<>> may_adopt_;
};

/// Claims objects for an owner: adopts orphans that its selector matches, releases objects that it
/// no longer matches, and returns those that the owner controls. All are tried; the error is that
/// of the first that failed. An adopted object gets the finalizer, a released one loses it.
template <typename T, typename Owner>
Result<std::vector<cache::Ref<T>>> ClaimObjects(runtime::Context& context, const Owner& owner,
                                                const api::Selector& selector,
                                                std::vector<cache::Ref<T>> objects,
                                                std::string_view finalizer = {}) {
  const client::Resource resource = client::Resource::Of<T>();
  const auto read = [&]() -> Result<meta::v1::ObjectMeta> {
    FLYBALL_TRY(auto live, context.client().template Of<Owner>().Get(api::ObjectKey::Of(owner)));
    return std::move(live.metadata);
  };
  ControllerRefManager manager(context, ControllerRefTo(owner), read, finalizer);
  Result<> all;
  const auto note = [&all](auto& tried) {
    if (!tried && all) all = std::unexpected(std::move(tried).error());
  };
  std::erase_if(objects, [&](const cache::Ref<T>& object) {
    switch (DecideClaim(*object, owner, selector.Matches(object->metadata.labels))) {
      case ClaimDecision::kOwned:
        return false;
      case ClaimDecision::kNone:
        return true;
      case ClaimDecision::kAdopt: {
        auto adopted = manager.Adopt(resource, api::IdentityOf(*object));
        note(adopted);
        return !adopted.value_or(false);
      }
      case ClaimDecision::kRelease: {
        auto released = manager.Release(resource, api::IdentityOf(*object));
        note(released);
        return true;
      }
    }
    return true;
  });
  FLYBALL_TRY(all);
  return objects;
}

}  // namespace flyball::controllers::common
