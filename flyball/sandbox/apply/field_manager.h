#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "flyball/sandbox/apply/field_scope.h"
#include "flyball/sandbox/apply/manager_list.h"

namespace flyball::sandbox::apply {

/// The state of an object before or after a write: the object without `metadata.managedFields`, and
/// those. They are typed, since their text has an order of its own, which a tree would not keep.
struct ManagedObject {
  const Json& object;
  const Entries& managed_fields;
};

/// Who writes, and when.
struct Writer {
  std::string name;  ///< empty: "unknown"
  api::Time now;
};

/// What came of an apply.
struct Applied {
  /// What the object is now, before defaulting; nothing where it is what it was.
  std::optional<Json> object;
  Entries managed_fields;
};

/// Keeps `metadata.managedFields` of one resource's objects, and merges what is applied to them, as
/// kube-apiserver does. Constant; any thread.
class FieldManager {
 public:
  explicit FieldManager(FieldScope scope) : scope_(std::move(scope)) {}

  const FieldScope& scope() const { return scope_; }

  /// The entries after a create, an update or a patch: `after` is what will be stored. A created
  /// object has no `before`. `said` are the entries that the request carries, null where it carries
  /// none: a client may change them, or reset them by sending an empty list or an empty entry; a
  /// write to a subresource cannot. What cannot be worked out leaves the entries as they were.
  Entries Update(const ManagedObject* before, const Json& after, const Entries* said,
                 const Writer& writer) const;

  /// Puts what is applied over the live object, or over nothing where there is none yet. Refuses
  /// with the conflicts where others own what would change, unless forced.
  Result<Applied> Apply(const ManagedObject* live, const Json& applied, const Writer& writer,
                        bool force) const;

 private:
  Result<ManagerList> TryUpdate(const Json& before, const Json& after, ManagerList managers,
                                const Writer& writer) const;
  Result<> CheckKind(const Json& applied) const;
  Result<> CheckApplied(const Json& applied) const;
  Result<> CheckStored(const Json& object, std::string_view failure, std::string_view aim) const;

  const FieldScope scope_;
};

/// Takes back the times of entries that are otherwise what they were, where the object is what it
/// was as well: such a write then changes nothing at all.
void KeepTimes(const Entries& before, Entries& after);

}  // namespace flyball::sandbox::apply
