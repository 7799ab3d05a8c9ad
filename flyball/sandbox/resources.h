#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flyball/api/type_info.h"
#include "flyball/base/mutex.h"
#include "flyball/sandbox/kind.h"

namespace flyball::sandbox {

struct CustomVersion;

/// A collection that the server serves, in one version.
struct Resource {
  std::string plural;
  std::string singular;
  std::string list_kind;
  bool namespaced = true;
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  std::vector<std::string> verbs = {};
  struct Subresource {
    std::string name;
    std::string group, version, kind;  ///< of what is sent and answered
    std::vector<std::string> verbs;
  };
  std::vector<Subresource> subresources = {};
  std::shared_ptr<const Kind> kind = {};             ///< as it comes in and goes out
  std::shared_ptr<const Kind> stored = {};           ///< as it is stored: mostly the same
  std::string collection = {};                       ///< where; versions of one resource share it
  std::shared_ptr<const CustomVersion> custom = {};  ///< of a resource that a CRD defines

  ResourceName name() const { return {kind->group(), plural}; }
  bool has_status() const { return FindSubresource("status") != nullptr; }
  bool Allows(std::string_view verb) const;
  const Subresource* FindSubresource(std::string_view subresource) const;
};
using ResourcePtr = std::shared_ptr<const Resource>;

/// All that are served: those of the schema in their stable versions, as a kube-apiserver without
/// options serves them, and custom ones as they come and go. Any thread.
class Resources {
 public:
  Resources();

  /// Null if there is none.
  ResourcePtr Find(std::string_view group, std::string_view version, std::string_view plural) const;
  ResourcePtr FindKind(std::string_view group, std::string_view version,
                       std::string_view kind) const;
  /// The kind of the schema that a collection is stored in; null if it is of none.
  std::shared_ptr<const Kind> StoredIn(const std::string& collection) const;
  std::vector<ResourcePtr> All() const;

  void AddCustom(ResourcePtr resource);
  void RemoveCustom(std::string_view group, std::string_view version, std::string_view plural);

 private:
  /// Borrowed from the resource that it names, or from whoever looks for one.
  struct Name {
    std::string_view group, version, plural;
    friend auto operator<=>(const Name&, const Name&) = default;
  };
  static Name NameOf(const Resource& resource) {
    return {resource.kind->group(), resource.kind->version(), resource.plural};
  }

  std::unordered_map<std::string, std::shared_ptr<const Kind>> stored_;  // by collection; constant

  mutable Mutex mutex_;
  std::map<Name, ResourcePtr> resources_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::sandbox
