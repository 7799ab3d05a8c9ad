#include "flyball/sandbox/apply/reset_fields.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace flyball::sandbox::apply {
namespace {

using FieldPaths = std::initializer_list<std::initializer_list<std::string_view>>;

FieldFilter AllBut(FieldPaths paths) {
  FieldSet excluded;
  for (const auto& path : paths) excluded.InsertFields(path);
  return FieldFilter::Excluding(std::move(excluded));
}

/// Those whose metadata cannot be changed by way of their status.
constexpr std::array kStatusKeepsMetadata = {
    std::string_view("APIService"),
    std::string_view("CompositePodGroup"),
    std::string_view("DeviceTaintRule"),
    std::string_view("Eviction"),
    std::string_view("EvictionRequest"),
    std::string_view("FlowSchema"),
    std::string_view("PodCertificateRequest"),
    std::string_view("PodGroup"),
    std::string_view("PriorityLevelConfiguration"),
    std::string_view("ResourceClaim"),
    std::string_view("ResourcePoolStatusRequest"),
    std::string_view("ServiceCIDR"),
    std::string_view("StorageVersion"),
    std::string_view("StorageVersionMigration"),
    std::string_view("ValidatingAdmissionPolicy"),
    std::string_view("VolumeAttachment"),
};

FieldFilter OfStatus(std::string_view kind) {
  if (kind == "Pod") {
    return AllBut({{"spec"}, {"metadata", "deletionTimestamp"}, {"metadata", "ownerReferences"}});
  }
  if (kind == "Deployment") return AllBut({{"spec"}, {"metadata", "labels"}});
  if (kind == "CertificateSigningRequest") return AllBut({{"spec"}, {"status", "conditions"}});
  if (std::ranges::find(kStatusKeepsMetadata, kind) != kStatusKeepsMetadata.end()) {
    return AllBut({{"spec"}, {"metadata"}});
  }
  return AllBut({{"spec"}});
}

FieldFilter OfResource(const api::TypeInfo& kind) {
  if (kind.name == "CertificateSigningRequest") return AllBut({{"spec"}, {"status"}});
  const bool has_status =
      kind.resource != nullptr &&
      std::ranges::any_of(kind.resource->subresources,
                          [](const api::SubresourceInfo& one) { return one.name == "status"; });
  return has_status ? AllBut({{"status"}}) : FieldFilter();
}

}  // namespace

FieldFilter OwnableFields(const api::TypeInfo& kind, std::string_view subresource) {
  if (subresource.empty()) return OfResource(kind);
  if (subresource == "status") return OfStatus(kind.name);
  if (subresource == "approval") return AllBut({{"spec"}, {"status", "certificate"}});
  if (subresource == "finalize") return AllBut({{"status"}});
  if (subresource == "ephemeralcontainers") {
    return FieldFilter::Including({{"spec", "ephemeralContainers"}});
  }
  if (subresource == "resize") {
    return FieldFilter::Including({{"spec", "containers", "*", "resources"},
                                   {"spec", "containers", "*", "resizePolicy"},
                                   {"spec", "initContainers", "*", "resources"},
                                   {"spec", "initContainers", "*", "resizePolicy"}});
  }
  return {};
}

FieldFilter OwnableFieldsOfCustomKind(bool has_status, std::string_view subresource) {
  if (subresource == "status") return AllBut({{"spec"}, {"metadata"}});
  return subresource.empty() && has_status ? AllBut({{"status"}}) : FieldFilter();
}

}  // namespace flyball::sandbox::apply
