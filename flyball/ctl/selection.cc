#include "flyball/ctl/selection.h"

#include "flyball/ctl/json_field.h"
#include "flyball/ctl/resource_argument.h"

namespace flyball::ctl {
namespace {

constexpr std::string_view kNothingAsked =
    "You must provide one or more resources by argument or filename.\n"
    "Example resource specifications include:\n"
    "   '-f rsrc.yaml'\n"
    "   '--filename=rsrc.json'\n"
    "   '<resource> <name>'\n"
    "   '<resource>'";

Result<> SelectListed(Cluster& cluster, const Selection& selection,
                      const client::ServedResource& resource, std::vector<Selected>& selected) {
  meta::v1::ListOptions list;
  list.labelSelector = selection.selector;
  list.fieldSelector = selection.field_selector;
  const std::string namespace_ =
      selection.all_namespaces ? "" : cluster.KeyOf(resource, "").namespace_;
  FLYBALL_TRY(const auto objects, cluster.ListObjects(resource.resource, namespace_, list));
  for (const Json& object : objects) {
    selected.push_back({&resource, {TextAt(object, {"metadata", "namespace"}), NameOf(object)}});
  }
  return {};
}

}  // namespace

Result<std::vector<Selected>> Select(Cluster& cluster, const Selection& selection,
                                     BareType bare_type, Errors& errors) {
  std::vector<Selected> selected;
  if (!selection.files.empty()) {
    if (!selection.words.empty()) {
      return std::unexpected(UsageError(
          "when paths, URLs, or stdin is provided as input, you may not specify resource "
          "arguments as well"));
    }
    FLYBALL_TRY(const auto placed, ReadPlaced(cluster, selection.files, errors));
    for (const PlacedManifest& each : placed) {
      selected.push_back({each.resource, each.key, each.manifest.source});
    }
    return selected;
  }
  if (selection.words.empty()) return std::unexpected(UsageError(std::string(kNothingAsked)));
  FLYBALL_TRY(const client::Served* const served, cluster.Served());
  FLYBALL_TRY(const auto targets, ParseTargets(*served, selection.words));
  for (const Target& target : targets) {
    if (!target.name.empty()) {
      if (selection.HasSelector()) {
        return std::unexpected(UsageError("name cannot be provided when a selector is specified"));
      }
      selected.push_back({target.resource, cluster.KeyOf(*target.resource, target.name)});
      continue;
    }
    if (bare_type == BareType::kMistake && !selection.HasSelector()) {
      return std::unexpected(UsageError("resource(s) were provided, but no name was specified"));
    }
    const auto listed = SelectListed(cluster, selection, *target.resource, selected);
    if (!listed) errors.push_back(listed.error());
  }
  return selected;
}

}  // namespace flyball::ctl
