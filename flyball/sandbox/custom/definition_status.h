#pragma once

#include <string>
#include <string_view>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/sandbox/rest_strategy.h"

/// What the server says of a CRD.
namespace flyball::sandbox {

/// What is in storage under a CRD's name.
inline constexpr std::string_view kDefinitions = "apiextensions.k8s.io/customresourcedefinitions";

void SetCondition(apiextensions::v1::CustomResourceDefinition& crd, std::string type,
                  std::string_view status, std::string reason, std::string message, WallTime now);
/// Whether it is true.
bool HasCondition(const apiextensions::v1::CustomResourceDefinition& crd, std::string_view type);

/// Accepts the names that no other CRD of the group has, and has the resource served if these are
/// all of them. Several conflicts show as the last of them.
void AcceptNames(apiextensions::v1::CustomResourceDefinition& crd, const StrategyContext& context);

}  // namespace flyball::sandbox
