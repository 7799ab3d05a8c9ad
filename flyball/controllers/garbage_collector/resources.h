#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flyball/client/discovery.h"

/// What a server's discovery means for garbage collection.
namespace flyball::controllers::garbage_collector {

/// The resources whose objects can be collected, and so are watched: those that can be listed,
/// watched and deleted, each in one version. Events are not among them; they go by themselves.
std::vector<client::Resource> Collectable(const client::Served& served);

/// The same, and of what was watched so far that of which discovery could not tell this time: a
/// server behind the server that does not answer has not lost its objects.
std::vector<client::Resource> CollectableStill(const client::Served& served,
                                               const std::vector<client::Resource>& so_far);

/// Where objects are that a reference speaks of.
class ServedKinds {
 public:
  ServedKinds() = default;
  explicit ServedKinds(const client::Served& served);

  /// In any version that is served, not only the one that is watched.
  std::optional<client::Resource> Find(std::string_view api_version, std::string_view kind) const;

 private:
  /// By version and kind, each as references have them.
  std::unordered_map<std::string, client::Resource> by_kind_;
};

}  // namespace flyball::controllers::garbage_collector
