#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/batch/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/policy/v1.h"
#include "tests/cluster/audit_trail.h"
#include "tests/cluster/binary_test.h"
#include "tests/cluster/our_controllers.h"

namespace flyball::cluster {

/// A test of managers that come one after the other, upstream's and ours.
class SuccessionTest : public BinaryTest {
 protected:
  ManagerBinary Start(bool upstream, std::vector<std::string> flags) {
    const std::string name =
        "manager-" + std::to_string(++started_) + (upstream ? "-upstream" : "-ours");
    return StartProgram(upstream ? Upstream() : Program(), name, std::move(flags));
  }
  /// The controllers that we have, and no election, which writes.
  static std::vector<std::string> SilentFlags() {
    return {ControllersFlag(), "--leader-elect=false"};
  }

  /// Until objects that are new, and ask for no pods, have been looked at: one for each controller
  /// that says so in a status. Returns their namespace.
  std::string AwaitSignOfLife(const ManagerBinary& manager) const {
    std::string space = NewNamespace();
    Probe<apps::v1::Deployment>(space, R"("replicas":0)");
    Probe<apps::v1::StatefulSet>(space, R"("replicas":0)");
    Probe<apps::v1::DaemonSet>(space, R"("revisionHistoryLimit":1)",
                               R"(,"nodeSelector":{"no":"such"})");
    Probe<batch::v1::Job>(space, R"("suspend":true,"manualSelector":true)",
                          R"(,"restartPolicy":"Never")");
    policy::v1::PodDisruptionBudget budget;
    budget.metadata.namespace_ = space;
    budget.metadata.name = "probe";
    budget.spec.selector.emplace().matchLabels["app"] = "nobody";
    Must(All<policy::v1::PodDisruptionBudget>().Create(budget));
    EXPECT_TRUE(Eventually([&] {
      const auto job = All<batch::v1::Job>().Get({space, "probe"});
      return IsObserved<apps::v1::Deployment>(space) && IsObserved<apps::v1::StatefulSet>(space) &&
             IsObserved<apps::v1::DaemonSet>(space) &&
             IsObserved<policy::v1::PodDisruptionBudget>(space) && job &&
             !job->status.conditions.empty();
    })) << manager.log();
    // A budget without pods has everybody who looks at it say so.
    Must(All<policy::v1::PodDisruptionBudget>().Delete({space, "probe"}));
    return space;
  }

  /// What managers have written since, but for tokens, reviews, what concerns the namespace of a
  /// probe, and the event with which each greets the nodes that it finds, upstream's as ours. Fails
  /// the test if they have not asked for anything.
  static std::vector<std::string> WritesSince(AuditLog& log, const std::string& probe) {
    std::vector<std::string> written;
    int requests = 0;
    for (const AuditedRequest& one : log.ReadOn()) {
      if (!one.IsManagers()) continue;
      ++requests;
      const bool is_token = one.resource == "serviceaccounts" && one.subresource == "token";
      if (!one.IsWrite() || is_token || one.resource.ends_with("reviews")) continue;
      const bool is_greeting = one.resource == "events" && one.user.ends_with(":node-controller");
      if (one.space != probe && !is_greeting) written.push_back(one.user + ": " + one.Describe());
    }
    EXPECT_GT(requests, 0);
    return written;
  }

 private:
  template <typename T>
  void Probe(const std::string& space, const std::string& spec,
             const std::string& pod_spec = "") const {
    const std::string text = R"({"metadata":{"name":"probe","namespace":")" + space +
                             R"("},"spec":{)" + spec +
                             R"(,"selector":{"matchLabels":{"app":"probe"}},)"
                             R"("template":{"metadata":{"labels":{"app":"probe"}},)"
                             R"("spec":{"containers":[{"name":"only","image":"none"}])" +
                             pod_spec + "}}}}";
    Must(All<T>().Create(Must(api::DecodeJson<T>(text))));
  }
  template <typename T>
  bool IsObserved(const std::string& space) const {
    const auto seen = All<T>().Get({space, "probe"});
    return seen && seen->status.observedGeneration > 0;
  }

  int started_ = 0;
};

}  // namespace flyball::cluster
