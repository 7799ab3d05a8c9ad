#include <algorithm>
#include <string>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/apiregistration/v1.h"
#include "flyball/sandbox/printing/cell_text.h"
#include "flyball/sandbox/printing/printer.h"

namespace flyball::sandbox::printing {
namespace {

using apiextensions::v1::CustomResourceDefinition;
using apiregistration::v1::APIService;

constexpr Column kDefinitionColumns[] = {
    kName,
    {"Scope"},
    {"Versions"},
    {.name = "Created At", .type = "date"},
    Wide("Group"),
    Wide("Kind"),
    Wide("ShortNames"),
    {.name = "Established", .type = "boolean", .priority = 1},
};

Cells DefinitionCells(const CustomResourceDefinition& crd, WallTime /*now*/) {
  std::vector<std::string> versions;
  for (const auto& version : crd.spec.versions) {
    if (version.served) versions.push_back(version.name + (version.storage ? "(storage)" : ""));
  }
  std::ranges::sort(versions);
  const auto& names = crd.spec.names;
  return {crd.metadata.name,      crd.spec.scope,
          Join(versions),         crd.metadata.creationTimestamp.ToString(),
          crd.spec.group,         names.kind,
          Join(names.shortNames), ConditionStatus(crd.status.conditions, "Established") == "True"};
}

constexpr Column kApiServiceColumns[] = {kName, {"Service"}, {"Available"}, kAge};

Cells ApiServiceCells(const APIService& object, WallTime now) {
  std::string available = "Unknown";
  for (const auto& condition : object.status.conditions) {
    if (condition.type != "Available") continue;
    available = condition.status == "True" ? condition.status
                                           : condition.status + " (" + condition.reason + ")";
  }
  const auto& service = object.spec.service;
  return {object.metadata.name, service ? service->namespace_ + "/" + service->name : "Local",
          available, AgeOf(object, now)};
}

constexpr Printer kPrinters[] = {
    For<CustomResourceDefinition, DefinitionCells>(kDefinitionColumns),
    For<APIService, ApiServiceCells>(kApiServiceColumns),
};

}  // namespace

std::span<const Printer> ExtensionPrinters() { return kPrinters; }

}  // namespace flyball::sandbox::printing
