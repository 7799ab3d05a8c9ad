#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"
#include "flyball/base/result.h"
#include "flyball/client/resource.h"
#include "flyball/client/rest_client.h"

/// What an API server serves, custom kinds and other servers behind it included.
namespace flyball::client {

struct ServedResource {
  Resource resource;
  std::string singular;
  std::vector<std::string> verbs;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<std::string> subresources;
  bool preferred = false;  ///< its version is the one that its group prefers

  bool Has(std::string_view verb) const;
};

/// A group and version that could not be asked about: that of an aggregated server that is down,
/// mostly. What it serves is not known, which is not to say that it serves nothing.
struct UnknownGroup {
  std::string group;
  std::string version;
  std::string reason;
  friend bool operator==(const UnknownGroup&, const UnknownGroup&) = default;
};

struct Served {
  std::vector<ServedResource> resources;
  std::vector<UnknownGroup> unknown;
};

/// Asks for all in two requests, or, of a server that does not know that way, group by group. Fails
/// only where nothing at all could be learned.
Result<Served> Discover(RestClient& rest);

/// Finds the resource of a kind. What it knows is asked for when it is first needed, and again
/// when somebody asks for what it does not know, since CRDs come and go; not twice within a second.
/// Any thread.
class RestMapper {
 public:
  explicit RestMapper(RestClient& rest) : rest_(rest) {}

  /// kNotFound if the server has no such kind. Without a version, the one the group prefers.
  Result<ServedResource> ByKind(std::string_view group, std::string_view kind,
                                std::string_view version = {});
  /// The same by the plural: "deployments".
  Result<ServedResource> ByPlural(std::string_view group, std::string_view plural,
                                  std::string_view version = {});

 private:
  template <typename Matches>
  Result<ServedResource> Find(const std::string& what, Matches matches);

  RestClient& rest_;
  Mutex mutex_;
  std::optional<Served> served_ FLYBALL_GUARDED_BY(mutex_);
  SteadyTime asked_ FLYBALL_GUARDED_BY(mutex_) = {};
};

}  // namespace flyball::client
