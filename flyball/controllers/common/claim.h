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

/// How an object stands to somebody who may want to control it.
enum class Standing : std::uint8_t {
  kOwned,    ///< it is controlled by them, and still wanted
  kNone,     ///< somebody else's, not wanted, or not to be touched
  kAdopt,    ///< nobody's, and wanted
  kRelease,  ///< controlled by them, and no longer wanted
};

/// Decides by controller, namespace and who is being deleted. `wanted`: the owner's selector
/// matches.
template <typename Owner, typename T>
Standing StandingOf(const T& object, const Owner& owner, bool wanted) {
  const bool owner_goes = owner.metadata.deletionTimestamp.has_value();
  if (const auto* const controller = ControllerOf(object)) {
    if (controller->uid != owner.metadata.uid) return Standing::kNone;
    // Keeping what is its own takes no write: that an owner may while it is being deleted.
    if (wanted) return Standing::kOwned;
    return owner_goes ? Standing::kNone : Standing::kRelease;
  }
  if (owner_goes || !wanted || object.metadata.deletionTimestamp) return Standing::kNone;
  if (std::string_view(object.metadata.namespace_) != owner.metadata.namespace_) {
    return Standing::kNone;
  }
  return Standing::kAdopt;
}

/// The patch that makes `owner` the controller of the object with this uid, and the one that ends
/// it. A server that has another object by then refuses both. The finalizer, if there is one, comes
/// and goes with the owner.
std::string AdoptionPatch(const meta::v1::OwnerReference& owner, std::string_view uid,
                          std::string_view finalizer = {});
std::string ReleasePatch(std::string_view owner_uid, std::string_view uid,
                         std::string_view finalizer = {});

/// Carries out what StandingOf() came to, for one owner and one reconcile.
class Claimant {
 public:
  /// Reads the owner from the server, not from a cache, which may not know of its deletion yet.
  using ReadOwner = std::function<Result<meta::v1::ObjectMeta>()>;

  Claimant(runtime::Context& context, meta::v1::OwnerReference owner, ReadOwner read,
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

  runtime::Context& context_;
  const meta::v1::OwnerReference owner_;
  const ReadOwner read_;
  const std::string finalizer_;
  std::optional<Result<>> may_adopt_;
};

/// Of objects that an owner controls or may adopt, those that it does control in the end. All are
/// tried; the error is that of the first that failed. What is adopted is given the finalizer, and
/// what is let go loses it.
template <typename T, typename Owner>
Result<std::vector<cache::Ref<T>>> Claim(runtime::Context& context, const Owner& owner,
                                         const api::Selector& selector,
                                         std::vector<cache::Ref<T>> objects,
                                         std::string_view finalizer = {}) {
  const client::Resource resource = client::Resource::Of<T>();
  const auto read = [&]() -> Result<meta::v1::ObjectMeta> {
    FLYBALL_TRY(auto live, context.client().template Of<Owner>().Get(api::ObjectKey::Of(owner)));
    return std::move(live.metadata);
  };
  Claimant claimant(context, ControllerRefTo(owner), read, finalizer);
  Result<> all;
  const auto note = [&all](auto& tried) {
    if (!tried && all) all = std::unexpected(std::move(tried).error());
  };
  std::erase_if(objects, [&](const cache::Ref<T>& object) {
    switch (StandingOf(*object, owner, selector.Matches(object->metadata.labels))) {
      case Standing::kOwned:
        return false;
      case Standing::kNone:
        return true;
      case Standing::kAdopt: {
        auto adopted = claimant.Adopt(resource, api::IdentityOf(*object));
        note(adopted);
        return !adopted.value_or(false);
      }
      case Standing::kRelease: {
        auto released = claimant.Release(resource, api::IdentityOf(*object));
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
