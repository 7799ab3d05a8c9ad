#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/label_selector.h"
#include "flyball/api/object_key.h"
#include "flyball/cache/informer_core.h"

namespace flyball::cache {

/// An object in a cache, shared by all who look at it. Null where there is none.
template <typename T>
using Ref = std::shared_ptr<const T>;

/// Reads a cache. A light handle; any thread.
template <typename T>
class Lister {
 public:
  explicit Lister(std::shared_ptr<InformerCore> core) : core_(std::move(core)) {}

  Ref<T> Get(const api::ObjectKey& key) const {
    return Cast(core_->store().Get(key.namespace_, key.name));
  }
  std::vector<Ref<T>> List() const { return Cast(core_->store().List()); }
  std::vector<Ref<T>> InNamespace(std::string_view namespace_) const {
    return ByIndex(kNamespaceIndex, namespace_);
  }
  /// Those with this value in an index, see Informer::AddIndex().
  std::vector<Ref<T>> ByIndex(std::string_view index, std::string_view value) const {
    return Cast(core_->store().ByIndex(index, value));
  }
  /// Whether there is one with this value.
  bool AnyByIndex(std::string_view index, std::string_view value) const {
    return core_->store().AnyByIndex(index, value);
  }
  /// Those of a namespace whose labels a selector matches.
  std::vector<Ref<T>> Select(std::string_view namespace_, const api::Selector& selector) const {
    std::vector<Ref<T>> objects = InNamespace(namespace_);
    std::erase_if(objects,
                  [&](const Ref<T>& object) { return !selector.Matches(object->metadata.labels); });
    return objects;
  }
  std::size_t size() const { return core_->size(); }

 private:
  static Ref<T> Cast(const Object& object) { return std::static_pointer_cast<const T>(object); }
  static std::vector<Ref<T>> Cast(std::vector<Object> objects) {
    std::vector<Ref<T>> cast;
    cast.reserve(objects.size());
    for (Object& object : objects)
      cast.push_back(std::static_pointer_cast<const T>(std::move(object)));
    return cast;
  }

  std::shared_ptr<InformerCore> core_;
};

/// What is called when objects change; those left empty are not. For one object in order.
template <typename T>
struct EventHandler {
  /// `initial`: the object was there before we looked.
  std::function<void(const Ref<T>& now, bool initial)> added = nullptr;
  /// Also without a change, by a resync.
  std::function<void(const Ref<T>& old, const Ref<T>& now)> updated = nullptr;
  /// `last` is the state that the cache had, which `added` or `updated` was last called with.
  /// `final_state_unknown`: the delete event was missed, and the object may have changed since
  /// (client-go's DeletedFinalStateUnknown).
  std::function<void(const Ref<T>& last, bool final_state_unknown)> deleted = nullptr;
};

/// A handler as the cache calls it. `as` gives its form to an object, which may be null.
template <typename T, typename As>
DeltaHandler UntypedHandler(EventHandler<T> handler, As as) {
  return [handler = std::move(handler), as](const Delta& delta) {
    if (delta.kind == Delta::Kind::kAdded) {
      if (handler.added) handler.added(as(delta.now), delta.initial);
    } else if (delta.kind == Delta::Kind::kUpdated) {
      if (handler.updated) handler.updated(as(delta.old), as(delta.now));
    } else if (delta.kind == Delta::Kind::kDeleted) {
      if (handler.deleted) handler.deleted(as(delta.old), delta.final_state_unknown);
    }
  };
}

/// A cache of one collection that tells of its changes. A light handle, from an InformerFactory,
/// which gives all who ask for the same collection the same cache. Any thread.
template <typename T>
class Informer {
 public:
  using IndexBy = std::function<void(const T& object, IndexValues& values)>;

  explicit Informer(std::shared_ptr<InformerCore> core) : core_(std::move(core)) {}

  Lister<T> lister() const { return Lister<T>(core_); }

  /// Lets objects be found by something: `by` gives the values of one. The name stands for the
  /// meaning: who asks for the same name again gets the index that is there.
  void AddIndex(std::string name, IndexBy by) const {
    core_->store().AddIndex(std::move(name),
                            [by = std::move(by)](const void* object, IndexValues& values) {
                              by(*static_cast<const T*>(object), values);
                            });
  }

  /// At any time; ends with what it returns.
  [[nodiscard]] std::unique_ptr<Registration> AddHandler(std::string name, EventHandler<T> handler,
                                                         HandlerOptions options = {}) const {
    return core_->AddHandler(std::move(name),
                             UntypedHandler(std::move(handler),
                                            [](const Object& object) {
                                              return std::static_pointer_cast<const T>(object);
                                            }),
                             options);
  }

  bool HasSynced() const { return core_->HasSynced(); }
  SyncState state() const { return core_->state(); }
  std::string resource_version() const { return core_->resource_version(); }
  const std::shared_ptr<InformerCore>& core() const { return core_; }

 private:
  std::shared_ptr<InformerCore> core_;
};

}  // namespace flyball::cache
