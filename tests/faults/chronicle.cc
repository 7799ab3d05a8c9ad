#include "tests/faults/chronicle.h"

#include <algorithm>
#include <utility>

#include "flyball/api/storage/v1.h"
#include "flyball/base/check.h"
#include "flyball/sandbox/object_json.h"

namespace flyball::faults {
namespace {

using sandbox::Change;
using sandbox::RecordOf;
using sandbox::RecordPtr;

std::string CollectionOf(const client::Resource& resource) {
  return resource.group.empty() ? resource.plural : resource.group + "/" + resource.plural;
}

parity::Reference ReferenceOf(const sandbox::StorageKey& key) {
  const auto slash = key.collection.find('/');
  parity::Reference reference;
  if (slash != std::string::npos) reference.group = key.collection.substr(0, slash);
  reference.plural = key.collection.substr(slash + 1);  // npos + 1 is 0
  reference.key = {key.namespace_, key.name};
  return reference;
}

std::string LabelOf(const sandbox::Record& record) {
  const std::string* const label = record.labels().find(parity::kScenarioLabel);
  return label == nullptr ? "" : *label;
}

/// Of a VolumeAttachment.
std::string NodeOf(const sandbox::Record& record) {
  const api::AnyObject object = record.Decode();
  const auto* const attachment = object.As<storage::v1::VolumeAttachment>();
  return attachment == nullptr ? "" : attachment->spec.nodeName;
}

std::shared_ptr<const api::Json> TreeOf(const sandbox::Record& record) {
  return std::make_shared<const api::Json>(
      *api::Json::Parse(sandbox::WholeJson(record, record.kind(), sandbox::TypeMembers::kShown)));
}

}  // namespace

Chronicle::Chronicle(Deps deps, const std::vector<client::ServedResource>& served)
    : deps_(std::move(deps)) {
  for (const client::ServedResource& each : served) Follow(each);
}

void Chronicle::Follow(const client::ServedResource& served) {
  const client::Resource& resource = served.resource;
  // Events are served twice: once will do.
  if (!served.Has("watch") || resource.group == "events.k8s.io") return;
  if (std::ranges::find(deps_.unseen, resource.plural) != deps_.unseen.end()) return;
  const std::string collection = CollectionOf(resource);
  if (!followed_.insert(collection).second) return;
  followers_.push_back({collection, FollowFrom(collection)});
  TakeAll();
}

/// From the beginning; where the server has forgotten that, which it does when there is another
/// definition of a custom kind, from now on.
std::unique_ptr<sandbox::Storage::Follower> Chronicle::FollowFrom(const std::string& collection) {
  sandbox::Storage& storage = deps_.server.storage();
  const auto wake = [this] { TakeAll(); };
  auto follower = storage.Follow(collection, "", 1, wake);
  if (!follower && collection.contains('.')) {
    follower = storage.Follow(collection, "", storage.revision(), wake);
  }
  FLYBALL_CHECK(follower.has_value(), collection);
  return *std::move(follower);
}

/// One is woken for a change that another may have, too, by the time it gets here: they go by
/// revisions.
void Chronicle::TakeAll() {
  std::vector<Change> changes;
  for (auto& [collection, follower] : followers_) {
    for (;;) {
      constexpr std::size_t kMost = 1000;
      auto taken = follower->Take(kMost);
      if (!taken) {
        FLYBALL_CHECK(collection.contains('.'), "the history of a run is longer than what is kept");
        follower = FollowFrom(collection);
        break;
      }
      if (taken->empty()) break;
      std::ranges::move(*taken, std::back_inserter(changes));
    }
  }
  std::ranges::sort(changes, {}, &Change::revision);
  for (const Change& change : changes) Put(change);
}

void Chronicle::Put(const Change& change) {
  Known known{.reference = ReferenceOf(*change.key),
              .record = RecordOf(change.object),
              .present = !change.deleted,
              .tree = nullptr};
  const std::string scenario = ScenarioOf(known);
  if (!scenario.empty()) {
    if (known.reference.plural == "namespaces") namespaces_[known.reference.key.name] = scenario;
    if (known.reference.plural == "nodes") nodes_[known.reference.key.name] = scenario;
    changed_[scenario] = deps_.clock.SteadyNow();
  }
  Happening happening{.resource = change.key->collection,
                      .before = change.before ? RecordOf(change.before) : nullptr,
                      .after = change.deleted ? nullptr : known.record};
  const std::string uid = known.record->uid();
  known_.insert_or_assign(uid, std::move(known));
  if (deps_.tell) deps_.tell(happening);
}

bool Chronicle::Shows(const client::Resource& /*resource*/, const api::Json& /*answer*/) const {
  return true;
}

std::string Chronicle::ScenarioOf(const Known& known) const {
  const std::string& space = known.reference.key.namespace_;
  if (space.empty()) {
    const std::string label = LabelOf(*known.record);
    if (!label.empty() || known.reference.plural != "volumeattachments") return label;
    // A manager makes them, and they belong to who made the node.
    const auto node = nodes_.find(NodeOf(*known.record));
    return node == nodes_.end() ? "" : node->second;
  }
  const auto owner = namespaces_.find(space);
  return owner == namespaces_.end() ? "" : owner->second;
}

parity::World Chronicle::WorldOf(std::string_view scenario) const {
  parity::World world;
  if (const auto changed = changed_.find(scenario); changed != changed_.end()) {
    world.changed = changed->second;
  }
  for (auto& [uid, known] : known_) {
    if (ScenarioOf(known) != scenario) continue;
    if (!known.tree) known.tree = TreeOf(*known.record);
    (known.present ? world.present : world.past).push_back({known.reference, known.tree});
  }
  std::ranges::sort(world.present, {}, &parity::WorldObject::reference);
  return world;
}

}  // namespace flyball::faults
