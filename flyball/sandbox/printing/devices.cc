#include <string>

#include "flyball/api/resource/v1.h"
#include "flyball/sandbox/printing/cell_text.h"
#include "flyball/sandbox/printing/printer.h"

namespace flyball::sandbox::printing {
namespace {

using resource::v1::DeviceClass;
using resource::v1::DeviceTaintRule;
using resource::v1::ResourceClaim;
using resource::v1::ResourceClaimTemplate;
using resource::v1::ResourceSlice;

constexpr Column kNameAndAge[] = {kName, kAge};

template <typename T>
Cells NameAndAge(const T& object, WallTime now) {
  return {object.metadata.name, AgeOf(object, now)};
}

std::string ClaimState(const ResourceClaim& claim) {
  std::vector<std::string_view> states;
  const bool deleted = claim.metadata.deletionTimestamp.has_value();
  if (deleted) states.emplace_back("deleted");
  if (claim.status.allocation) {
    states.emplace_back("allocated");
    if (!claim.status.reservedFor.empty()) states.emplace_back("reserved");
  } else if (!deleted) {
    states.emplace_back("pending");
  }
  return Join(states);
}

constexpr Column kClaimColumns[] = {kName, {"State"}, kAge};

Cells ClaimCells(const ResourceClaim& claim, WallTime now) {
  return {claim.metadata.name, ClaimState(claim), AgeOf(claim, now)};
}

constexpr Column kSliceColumns[] = {kName, {"Node"}, {"Driver"}, {"Pool"}, kAge};

Cells SliceCells(const ResourceSlice& slice, WallTime now) {
  return {slice.metadata.name, TextOr(slice.spec.nodeName, ""), slice.spec.driver,
          slice.spec.pool.name, AgeOf(slice, now)};
}

constexpr Column kTaintColumns[] = {kName, {"Key"}, {"Value"}, {"Effect"}, {"TimeAdded"}, kAge};

Cells TaintRuleCells(const DeviceTaintRule& rule, WallTime now) {
  const auto& taint = rule.spec.taint;
  return {rule.metadata.name,
          taint.key,
          taint.value,
          taint.effect,
          taint.timeAdded ? Since(*taint.timeAdded, now) : "",
          AgeOf(rule, now)};
}

constexpr Printer kPrinters[] = {
    For<DeviceClass, NameAndAge<DeviceClass>>(kNameAndAge),
    For<ResourceClaimTemplate, NameAndAge<ResourceClaimTemplate>>(kNameAndAge),
    For<ResourceClaim, ClaimCells>(kClaimColumns),
    For<ResourceSlice, SliceCells>(kSliceColumns),
    For<DeviceTaintRule, TaintRuleCells>(kTaintColumns),
};

}  // namespace

std::span<const Printer> DevicePrinters() { return kPrinters; }

}  // namespace flyball::sandbox::printing
