#pragma once

#include <string_view>
#include <vector>

#include "flyball/sandbox/apply/conflict.h"
#include "flyball/sandbox/apply/field_scope.h"

/// The annotation in which `kubectl apply` without --server-side keeps what it applied. Only the
/// manager of the name "kubectl" has a part in it.
namespace flyball::sandbox::apply {

inline constexpr std::string_view kKubectl = "kubectl";
inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/// Takes out the conflicts about fields that are as kubectl had last applied them from its own
/// side: they are its own, whoever the sets name.
void ForgiveLastApplied(const FieldScope& scope, const Json& live,
                        std::vector<Conflict>& conflicts);

/// Where the object has the annotation, makes it say what was applied now.
void UpdateLastApplied(Json& object, const Json& applied);
/// Whether the object has it.
bool HasLastApplied(const Json& object);

}  // namespace flyball::sandbox::apply
