#pragma once

#include <vector>

#include "flyball/sandbox/apply/comparison.h"
#include "flyball/sandbox/apply/conflict.h"
#include "flyball/sandbox/apply/field_scope.h"
#include "flyball/sandbox/apply/manager_list.h"

/// What a write does to who owns what.
namespace flyball::sandbox::apply {

/// Brings the sets of all managers in line with the schema, which may have changed since they were
/// written, and forgets those whose version is gone.
void FollowSchema(const FieldScope& scope, ManagerList& managers);

/// The conflicts, where there are any and nobody forces his way: then nothing has changed.
/// Otherwise all managers but `self` have lost what changed between the two objects. `own` is what
/// changed, as far as this scope can own it. `self` may be null: then everybody has.
Result<std::vector<Conflict>> TakeFromOthers(const FieldScope& scope, const Json& before,
                                             const Json& after, ManagerList& managers,
                                             const ManagerId* self, bool force, Comparison& own);

/// The merged object without what `last` had applied and no longer does, unless somebody else owns
/// it. `managers` have what is applied now.
Result<Json> Prune(const FieldScope& scope, Json merged, const ManagerList& managers,
                   const Manager& last);

}  // namespace flyball::sandbox::apply
