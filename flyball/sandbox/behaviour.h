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
#include "flyball/sandbox/deletion.h"
#include "flyball/sandbox/metadata_rules.h"
#include "flyball/sandbox/record.h"
#include "flyball/sandbox/refusal.h"
#include "flyball/sandbox/request.h"
#include "flyball/sandbox/resources.h"

namespace flyball::sandbox {

class ServiceRanges;

/// What a behaviour may look at and use while it decides about a write.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
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

/// One write, as a behaviour sees it.
struct Write {
  const Resource& resource;
  const Surroundings& around;
  const User& user;
  std::string_view subresource = {};
  bool dry_run = false;
};

/// What the server does for some kinds and not for others, beyond the facts of a table: what it
/// fills in, refuses and sees to. The order is that of kube-apiserver: admission, preparation,
/// validation. The default does nothing.
class Behaviour {
 public:
  virtual ~Behaviour() = default;

  virtual NameRule names() const { return NameRule::kSubdomain; }

  /// Makes of members that stand for others, or are kept in step with them, what they stand for.
  /// It comes with the defaults: whoever writes the object owns what it gives too.
  virtual void Complete(api::AnyObject& /*object*/) const {}

  /// Before the object is stored for the first time. It has its defaults, no status, and no uid.
  virtual Answered<> Admit(api::AnyObject& /*object*/, const Write&) const { return {}; }
  virtual void Prepare(api::AnyObject& /*object*/, const Write&) const {}
  virtual FieldErrors Validate(const api::AnyObject& /*object*/, const Write&) const { return {}; }

  /// Before a change of it is stored. Status and content are already kept apart.
  virtual Answered<> AdmitUpdate(api::AnyObject& /*now*/, const api::AnyObject& /*before*/,
                                 const Write&) const {
    return {};
  }
  virtual void PrepareUpdate(api::AnyObject& /*now*/, const api::AnyObject& /*before*/,
                             const Write&) const {}
  virtual FieldErrors ValidateUpdate(const api::AnyObject& /*now*/,
                                     const api::AnyObject& /*before*/, const Write&) const {
    return {};
  }

  /// How long an object may take to go, if its kind knows such a thing.
  virtual std::optional<std::int64_t> Grace(const api::AnyObject& /*object*/,
                                            std::optional<std::int64_t> /*asked*/) const {
    return std::nullopt;
  }
  /// Whether it may be deleted at all.
  virtual Answered<> AdmitDelete(const api::AnyObject& /*object*/, const Write&) const {
    return {};
  }
  /// Deletes it in the kind's own way, if it has one for the state that the object is in.
  virtual Answered<std::optional<Deletion>> Delete(api::AnyObject& /*object*/,
                                                   const meta::v1::DeleteOptions&,
                                                   const Write&) const {
    return std::nullopt;
  }
  /// Whether an object that is being deleted may go, as far as only its kind knows.
  virtual bool MayGo(const api::AnyObject& /*object*/) const { return true; }
};

/// That of a kind: "apps/Deployment", or "Pod" in the core group.
const Behaviour& BehaviourOf(const Kind& kind);

}  // namespace flyball::sandbox
