#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/meta/v1.h"
#include "flyball/api/names.h"
#include "flyball/api/object.h"
#include "flyball/base/clock.h"
#include "flyball/sandbox/api_status_error.h"
#include "flyball/sandbox/deletion.h"
#include "flyball/sandbox/metadata_rules.h"
#include "flyball/sandbox/record.h"
#include "flyball/sandbox/request.h"
#include "flyball/sandbox/resources.h"

namespace flyball::sandbox {

class ServiceRanges;

/// What a strategy may read and use while it decides about a write.
class StrategyContext {
 public:
  virtual ~StrategyContext() = default;
  /// An object as it is stored; null if there is none. `collection` is "pods", "apps/deployments".
  virtual RecordPtr Find(std::string_view collection, std::string_view namespace_,
                         std::string_view name) const = 0;
  virtual std::vector<RecordPtr> List(std::string_view collection,
                                      std::string_view namespace_) const = 0;
  virtual WallTime Now() const = 0;
  virtual const api::RandomBits& random() const = 0;
  /// What services are given.
  virtual ServiceRanges& ranges() const = 0;

  /// The same, decoded; none if it is not there.
  template <typename T>
  std::optional<T> Get(std::string_view collection, std::string_view namespace_,
                       std::string_view name) const {
    const RecordPtr record = Find(collection, namespace_, name);
    if (!record) return std::nullopt;
    api::AnyObject object = record->Decode();
    return std::move(*static_cast<T*>(object.get()));
  }
};

/// One write, as a strategy sees it.
struct Write {
  const Resource& resource;
  const StrategyContext& context;
  const User& user;
  std::string_view subresource = {};
  bool dry_run = false;
  /// The request had a generateName and no name: admission is told of no name, then.
  bool named_here = false;
};

/// What the server does for one kind beyond the facts of its table: admission, preparation,
/// validation and deletion, in kube-apiserver's order (its rest.RESTCreateStrategy and the like,
/// and admission plugins). The default does nothing.
class RestStrategy {
 public:
  virtual ~RestStrategy() = default;

  virtual NameRule names() const { return NameRule::kSubdomain; }

  /// Sets fields that are linked to others, such as old names of the same thing. It is applied with
  /// the defaults: the writer of the object owns these fields too.
  virtual void ApplyLinkedDefaults(api::AnyObject& /*object*/) const {}

  /// Before the object is stored for the first time. It has its defaults, no status, and no uid.
  virtual StatusOr<> Admit(api::AnyObject& /*object*/, const Write&) const { return {}; }
  virtual void Prepare(api::AnyObject& /*object*/, const Write&) const {}
  virtual FieldErrors Validate(const api::AnyObject& /*object*/, const Write&) const { return {}; }

  /// Before a change of it is stored. Status and content are already kept apart.
  virtual StatusOr<> AdmitUpdate(api::AnyObject& /*now*/, const api::AnyObject& /*before*/,
                                 const Write&) const {
    return {};
  }
  virtual void PrepareUpdate(api::AnyObject& /*now*/, const api::AnyObject& /*before*/,
                             const Write&) const {}
  virtual FieldErrors ValidateUpdate(const api::AnyObject& /*now*/,
                                     const api::AnyObject& /*before*/, const Write&) const {
    return {};
  }

  /// The grace period of a deletion, if the kind has one.
  virtual std::optional<std::int64_t> GracePeriod(const api::AnyObject& /*object*/,
                                                  std::optional<std::int64_t> /*asked*/) const {
    return std::nullopt;
  }
  /// Whether it may be deleted at all.
  virtual StatusOr<> AdmitDelete(const api::AnyObject& /*object*/, const Write&) const {
    return {};
  }
  /// Deletes it in the kind's own way, if it has one for the state that the object is in.
  virtual StatusOr<std::optional<Deletion>> Delete(api::AnyObject& /*object*/,
                                                   const meta::v1::DeleteOptions&,
                                                   const Write&) const {
    return std::nullopt;
  }
  /// Whether an object that is being deleted may be removed, beside its finalizers: a namespace has
  /// spec.finalizers.
  virtual bool MayBeRemoved(const api::AnyObject& /*object*/) const { return true; }
};

/// That of a kind: "apps/Deployment", or "Pod" in the core group.
const RestStrategy& StrategyOf(const Kind& kind);

}  // namespace flyball::sandbox
