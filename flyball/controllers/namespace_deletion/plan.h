#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/client/discovery.h"

namespace flyball::controllers::namespace_deletion {

/// The resources whose objects have to go before a namespace can: those that are in namespaces and
/// can be deleted, each in one version, the one that its group prefers if it has it there. What is
/// served by a server that does not answer is not among them.
std::vector<client::ServedResource> Deletable(const client::Served& served);

/// How long a pod may take to go. Nothing is left of that once the namespace has been going for so
/// long.
std::chrono::seconds GraceOf(const core::v1::Pod& pod, WallTime namespace_deleted, WallTime now);

/// What is left of a resource's objects in a namespace after all were told to go.
struct Remains {
  std::size_t objects = 0;
  std::map<std::string, std::size_t> finalizers = {};  ///< and how many objects have each
  /// When it is worth looking again: after the pods' grace, or after some time where somebody has
  /// to take finalizers off. Zero if nothing is left, or nobody knows what it waits for.
  std::chrono::seconds estimate = {};

  friend bool operator==(const Remains&, const Remains&) = default;
};
Remains RemainsOf(std::span<const meta::v1::PartialObjectMetadata> objects,
                  std::chrono::seconds grace);
/// Nothing holds these objects, and still they are there.
Error Unexpected(const std::string& space, const client::Resource& resource);

/// What came of an attempt to empty a namespace.
struct Findings {
  std::optional<Error> discovery_failure = {};         ///< not all that may be in it is known
  std::vector<Error> failures = {};                    ///< of deletions
  std::map<std::string, std::size_t> remaining = {};   ///< objects by resource, "jobs.batch"
  std::map<std::string, std::size_t> finalizers = {};  ///< objects by finalizer
  std::chrono::seconds estimate = {};                  ///< the longest of all

  void Add(const client::Resource& resource, const Remains& remains);
  /// The failures as one; none if all went well.
  std::optional<Error> failure() const;
  /// Notes groups that could not be asked about.
  void AddUnknown(std::span<const client::UnknownGroup> unknown);

  friend bool operator==(const Findings&, const Findings&) = default;
};

/// Brings the conditions of a namespace that goes up to date, all five that are about that. False
/// if they were.
bool UpdateConditions(const Findings& findings, WallTime now, core::v1::NamespaceStatus& status);

/// The namespace without the finalizer that stands for its contents, as it is written once there
/// are none.
core::v1::Namespace Finalized(const core::v1::Namespace& space);

}  // namespace flyball::controllers::namespace_deletion
