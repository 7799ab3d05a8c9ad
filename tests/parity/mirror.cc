#include "tests/parity/mirror.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace flyball::parity {
namespace {

using api::Json;

/// Events are served twice: once will do.
bool CanBeFollowed(const client::ServedResource& served) {
  return served.Has("list") && served.Has("watch") && served.resource.group != "events.k8s.io";
}

/// API servers count.
std::uint64_t VersionOf(const Json& tree) {
  const std::string text = TextAtPath(tree, "metadata.resourceVersion");
  std::uint64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

std::string LabelOf(const Json& tree) {
  const Json* const metadata = tree.Find("metadata");
  const Json* const labels = metadata == nullptr ? nullptr : metadata->Find("labels");
  const Json* const label = labels == nullptr ? nullptr : labels->Find(kScenarioLabel);
  return label == nullptr ? "" : *label->If<std::string>();
}

}  // namespace

Mirror::Mirror(const Deps& deps)
    : deps_(deps),
      informers_(
          {.client = deps.client, .executor = deps.executor, .timers = deps.timers, .random = [] {
             return 0.5;
           }}) {}

Result<> Mirror::Start() {
  FLYBALL_TRY(const client::Served served, client::Discover(deps_.client.rest()));
  for (const client::ServedResource& each : served.resources) {
    if (each.preferred) Follow(each);
  }
  informers_.Start();
  informers_.WaitForSync({});
  return {};
}

void Mirror::Follow(const client::ServedResource& served) {
  if (!CanBeFollowed(served)) return;
  const client::Resource& resource = served.resource;
  {
    const MutexLock lock(mutex_);
    if (!followed_.insert(resource.QualifiedName()).second) return;
  }
  auto handler =
      informers_.Dynamic(resource, {})
          .AddHandler(
              "mirror",
              {.added = [this, resource](const Tree& now, bool) { Put(resource, now, true); },
               .updated = [this, resource](const Tree&,
                                           const Tree& now) { Put(resource, now, true); },
               .deleted = [this, resource](const Tree& last,
                                           bool) { Put(resource, last, false); }});
  const MutexLock lock(mutex_);
  handlers_.push_back(std::move(handler));
}

void Mirror::Put(const client::Resource& resource, const Tree& tree, bool present) {
  Known known{
      .reference = {resource.group,
                    resource.plural,
                    {TextAtPath(*tree, "metadata.namespace"), TextAtPath(*tree, "metadata.name")}},
      .tree = tree,
      .present = present};
  const MutexLock lock(mutex_);
  const std::string scenario = ScenarioOf(known);
  if (!scenario.empty()) {
    if (resource.plural == "namespaces") namespaces_[known.reference.key.name] = scenario;
    if (resource.plural == "nodes") nodes_[known.reference.key.name] = scenario;
    changed_[scenario] = deps_.executor.clock().SteadyNow();
  }
  known_.insert_or_assign(TextAtPath(*tree, "metadata.uid"), std::move(known));
}

bool Mirror::Shows(const client::Resource& resource, const Json& answer) const {
  const MutexLock lock(mutex_);
  if (!followed_.contains(resource.QualifiedName())) return true;
  const auto known = known_.find(TextAtPath(answer, "metadata.uid"));
  if (known == known_.end()) return false;
  return !known->second.present || VersionOf(*known->second.tree) >= VersionOf(answer);
}

std::string Mirror::ScenarioOf(const Known& known) const {
  const std::string& space = known.reference.key.namespace_;
  if (space.empty()) {
    const std::string label = LabelOf(*known.tree);
    if (!label.empty() || known.reference.plural != "volumeattachments") return label;
    // A manager makes them, and they belong to who made the node.
    const auto node = nodes_.find(TextAtPath(*known.tree, "spec.nodeName"));
    return node == nodes_.end() ? "" : node->second;
  }
  const auto owner = namespaces_.find(space);
  return owner == namespaces_.end() ? "" : owner->second;
}

World Mirror::WorldOf(std::string_view scenario) const {
  World world;
  const MutexLock lock(mutex_);
  if (const auto changed = changed_.find(scenario); changed != changed_.end()) {
    world.changed = changed->second;
  }
  for (const auto& [uid, known] : known_) {
    if (ScenarioOf(known) != scenario) continue;
    (known.present ? world.present : world.past).push_back({known.reference, known.tree});
  }
  std::ranges::sort(world.present, {}, &WorldObject::reference);
  return world;
}

}  // namespace flyball::parity
