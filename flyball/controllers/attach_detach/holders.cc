#include "flyball/controllers/attach_detach/holders.h"

#include "flyball/controllers/attach_detach/attachable.h"

namespace flyball::controllers::attach_detach {
namespace {

std::set<std::string_view> InUseBy(const views::Node& node) {
  std::set<std::string_view> names;
  for (const auto& name : node.status.volumesInUse) names.insert(std::string_view(name));
  return names;
}

}  // namespace

void Holders::Hold(const std::string& node, const std::string& volume) {
  const MutexLock lock(mutex_);
  HoldLocked(node, volume);
}

void Holders::HoldLocked(const std::string& node, std::string_view volume) {
  volumes_[node].try_emplace(std::string(volume), false);
  nodes_[std::string(volume)].insert(node);
}

void Holders::Release(const std::string& node, const std::string& volume) {
  const MutexLock lock(mutex_);
  const auto its = volumes_.find(node);
  if (its == volumes_.end() || its->second.erase(volume) == 0) return;
  if (its->second.empty()) volumes_.erase(its);
  const auto holders = nodes_.find(volume);
  holders->second.erase(node);
  if (holders->second.empty()) nodes_.erase(holders);
}

void Holders::HoldReported(const views::Node& node) {
  const std::string name(node.metadata.name);
  for (const auto& attached : node.status.volumesAttached) {
    const auto volume = AttachableNamed(attached.name);
    if (volume && !volume->HasDriver()) HoldLocked(name, attached.name);
  }
}

void Holders::MarkInUse(const views::Node& last) {
  const auto its = volumes_.find(std::string(last.metadata.name));
  if (its == volumes_.end()) return;
  const auto in_use = InUseBy(last);
  // Of one that is deleted again before it has told anything the one before counts.
  for (auto& [volume, was_in_use] : its->second) was_in_use |= in_use.contains(volume);
}

void Holders::Saw(const views::Node& node) {
  const MutexLock lock(mutex_);
  HoldReported(node);
}

void Holders::Saw(const views::Node& before, const views::Node& now) {
  const MutexLock lock(mutex_);
  if (before.metadata.uid != now.metadata.uid) {
    MarkInUse(before);
  } else if (const auto its = volumes_.find(std::string(now.metadata.name));
             its != volumes_.end()) {
    const auto used = InUseBy(before);
    const auto uses = InUseBy(now);
    for (auto& [volume, was_in_use] : its->second) {
      if (used.contains(volume) && !uses.contains(volume)) was_in_use = false;
    }
  }
  HoldReported(now);
}

void Holders::SawDeleted(const views::Node& last) {
  const MutexLock lock(mutex_);
  MarkInUse(last);
}

std::vector<Holders::Held> Holders::Of(const std::string& node) const {
  const MutexLock lock(mutex_);
  std::vector<Held> held;
  const auto its = volumes_.find(node);
  if (its == volumes_.end()) return held;
  for (const auto& [volume, was_in_use] : its->second) held.push_back({volume, was_in_use});
  return held;
}

std::vector<std::string> Holders::NodesOf(const std::string& volume) const {
  const MutexLock lock(mutex_);
  const auto holders = nodes_.find(volume);
  if (holders == nodes_.end()) return {};
  return {holders->second.begin(), holders->second.end()};
}

}  // namespace flyball::controllers::attach_detach
