#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/batch/v1.h"
#include "flyball/api/coordination/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/api/json.h"
#include "flyball/ctl/describe/description.h"

/// What is said of each kind: pure functions from objects to text, without the events, which are
/// the same for all.
namespace flyball::ctl::describe {

void AddPod(const core::v1::Pod& pod, WallTime now, Description& out);

/// How many pods of a set are in which phase.
struct PodCounts {
  int running = 0;
  int waiting = 0;
  int succeeded = 0;
  int failed = 0;
  friend bool operator==(const PodCounts&, const PodCounts&) = default;
};
PodCounts CountPods(const std::vector<core::v1::Pod>& pods, std::string_view owner_uid);

/// `replica_sets` are those of the deployment.
void AddDeployment(const apps::v1::Deployment& deployment,
                   const std::vector<apps::v1::ReplicaSet>& replica_sets, Description& out);
void AddReplicaSet(const apps::v1::ReplicaSet& set, const PodCounts& pods, Description& out);
void AddJob(const batch::v1::Job& job, Description& out);

void AddService(const core::v1::Service& service,
                const std::vector<discovery::v1::EndpointSlice>& slices, Description& out);
void AddConfigMap(const core::v1::ConfigMap& map, Description& out);
void AddSecret(const core::v1::Secret& secret, Description& out);

void AddNamespace(const core::v1::Namespace& name_space,
                  std::vector<core::v1::ResourceQuota> quotas,
                  const std::vector<core::v1::LimitRange>& limits, Description& out);

/// What is known of a node beside itself.
struct NodeSurroundings {
  std::optional<coordination::v1::Lease> lease = {};
  std::string lease_error = {};  ///< why there is none
  /// Those that are not at their end; nothing if they may not be seen.
  std::optional<std::vector<core::v1::Pod>> pods = {};
};
void AddNode(const core::v1::Node& node, const NodeSurroundings& surroundings, WallTime now,
             Description& out);

/// A kind of which nothing is known: all its fields.
void AddAnything(const api::Json& object, Description& out);
/// "lastTransitionTime" as "Last Transition Time".
std::string LabelOfField(std::string_view field);

}  // namespace flyball::ctl::describe
