#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "flyball/base/clock.h"

/// `flyball trace`: why an object is as it is.
namespace flyball::ctl::trace {

/// An object that has to do with the one that is asked about.
struct Link {
  std::string resource;  ///< "replicasets.apps"
  api::Json object;      ///< which says its kind

  std::string name() const;
  std::string uid() const;
  /// As controllers call it: "shop/web".
  std::string key() const;
  /// "replicaset web-7d9c5".
  std::string Title() const;
};

/// A Deployment, its ReplicaSets and their pods; or whatever else owns what. Those that no longer
/// matter, sets with no pods that shall have none, are left out.
struct Chain {
  std::vector<Link> owners = {};  ///< of what is asked about, the outermost first
  Link asked = {};
  std::vector<Link> owned = {};  ///< by it, and by these in turn; pods not among them
  /// At the end of all that; what is asked about, if that is a pod.
  std::vector<core::v1::Pod> pods = {};
  /// What else in the namespace has a selector and is nobody's.
  std::vector<Link> neighbours = {};
  std::vector<core::v1::Event> events = {};  ///< about any of these
  std::vector<std::string> unread = {};      ///< what could not be looked at, and why

  bool IsAboutPod() const;
  /// What is asked about and what it owns, less pods: where something may be wrong with it.
  std::vector<const Link*> Sets() const;
  /// The same, with its owners before it.
  std::vector<const Link*> SetsAndOwners() const;
};

/// One of the conditions in an object's status.
struct Condition {
  std::string status;
  std::string reason = {};
  std::string message = {};
  std::optional<WallTime> since = {};
};
std::optional<Condition> ConditionOf(const api::Json& object, std::string_view type);

/// When the object was told to go; nothing if it was not.
std::optional<WallTime> DeletedAt(const api::Json& object);

/// Whether the pod does what it is for.
bool IsReady(const core::v1::Pod& pod);

/// The events about an object, the last first.
std::vector<const core::v1::Event*> EventsOf(const Chain& chain, std::string_view uid);

/// "1 pod", "2 pods".
std::string Counted(std::size_t count, std::string_view noun);

}  // namespace flyball::ctl::trace
