#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"

namespace flyball::cluster {

/// What managers promise of deployments, held against all that ever happened to them, revision by
/// revision, whoever led and whatever broke meanwhile:
///
/// - A ReplicaSet is scaled up only as far as the deployment and its maxSurge allow.
/// - For a ReplicaSet no more pods are ever created than it was scaled up by, all together, and no
///   more are deleted than it was scaled down by. Who acts twice on one wish breaks this, and so
///   does who deletes a pod that should live.
/// - Of a deployment that was wholly available, so many stay as maxUnavailable wants.
/// - In the end nothing is there whose owner is not, and of each as much as was asked for.
///
/// This holds where pods do not fail and are deleted by nobody else, deployments are of the type
/// RollingUpdate and without minReadySeconds, and are scaled only while nothing is under way.
/// One thread.
class RolloutInvariants {
 public:
  /// Each change, in order. `key` is what an object has that has no other: its path. Null: it is
  /// gone.
  void See(const std::string& key, std::int64_t revision, const apps::v1::Deployment* now);
  void See(const std::string& key, std::int64_t revision, const apps::v1::ReplicaSet* now);
  void See(const std::string& key, std::int64_t revision, const core::v1::Pod* now);

  /// What was not held, in order: "at 1234: ...", and what happened to that deployment before.
  const std::vector<std::string>& broken() const { return broken_; }
  /// What is not right once everything has come to rest.
  std::vector<std::string> WrongAtRest() const;
  /// What it has seen, for people: who has seen nothing has not found anything either.
  std::string Describe() const;

 private:
  struct Deployment {
    std::string name;
    std::int64_t replicas = 0, surge = 0, unavailable = 0;
    bool going = false;
    bool was_whole = false;          ///< since replicas changed last
    std::deque<std::string> lately;  ///< what happened to it and what it has
  };
  struct ReplicaSet {
    std::string name, owner;
    std::int64_t replicas = 0;
    std::int64_t raised = 0, lowered = 0;   ///< all steps up, and all steps down
    std::int64_t created = 0, deleted = 0;  ///< pods
    bool going = false;
    std::string said;  ///< its status, as far as deployments go by it
  };
  struct Pod {
    std::string name, owner;
    bool active = false, available = false;
  };

  void Break(std::int64_t revision, const Deployment& deployment, const std::string& what);
  /// Remembers for a while what happened to a deployment or what it has.
  void Note(std::int64_t revision, const std::string& deployment, const std::string& what);
  /// Null if it is gone or on its way: then whatever was promised is moot.
  Deployment* LivingDeployment(const std::string& uid);
  void CheckSurge(std::int64_t revision, const std::string& owner, const std::string& set);
  void PodIsNew(std::int64_t revision, const Pod& pod);
  void PodGoes(std::int64_t revision, const Pod& pod);
  std::int64_t AvailableOf(const std::string& deployment) const;
  /// With it a deployment may have all it asked for.
  void BecameAvailable(std::int64_t revision, const Pod& pod);

  // By uid; the paths of what is there tell which uid goes with an object that is gone.
  std::map<std::string, Deployment> deployments_;
  std::map<std::string, ReplicaSet> sets_;
  std::map<std::string, Pod> pods_;
  std::map<std::string, std::string> uid_at_;
  std::vector<std::string> broken_;
  std::int64_t changes_ = 0, pods_seen_ = 0, sets_seen_ = 0;
};

}  // namespace flyball::cluster
