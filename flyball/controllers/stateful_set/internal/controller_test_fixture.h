#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/stateful_set/controller.h"
#include "flyball/controllers/stateful_set/internal/stateful_set_fake.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::stateful_set {

inline const std::string kPods = "/api/v1/namespaces/default/pods";
inline const std::string kClaims = "/api/v1/namespaces/default/persistentvolumeclaims";
inline const std::string kRevisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
inline const std::string kStatus = "PUT /apis/apps/v1/namespaces/default/statefulsets/db/status";

/// The controller on an embedded server, with what people, kubelets and the garbage collector do as
/// functions. Pods are on no node, so that they are gone as soon as they are deleted.
class StatefulSetFixture : public ControllerFixture {
 protected:
  using StatefulSet = apps::v1::StatefulSet;
  using Revision = apps::v1::ControllerRevision;
  using Claim = core::v1::PersistentVolumeClaim;
  using Pod = core::v1::Pod;

  StatefulSetFixture() { CreateServiceAccount("default"); }

  void PlayIt(const std::function<void()>& test, const Options& options = {}) {
    auto all = deps();
    all.events = events_.Maker();
    Play(Make(all, options), [&] {
      // Times are kept in whole seconds: from one of them on they are exact.
      Pass(std::chrono::seconds(1) -
           executor_.clock().WallNow().time_since_epoch() % std::chrono::seconds(1));
      test();
    });
  }
  void Settle() { Pass(std::chrono::milliseconds(500)); }

  template <typename T>
  static T Must(Result<T> done) {
    if (done) return *std::move(done);
    ADD_FAILURE() << done.error().Describe();
    return {};
  }
  /// As people write it: the server gives it a uid.
  StatefulSet Create(StatefulSet set) {
    set.metadata.uid.clear();
    set.metadata.generation = 0;
    auto created = Must(All<StatefulSet>().Create(set));
    Settle();
    return created;
  }
  StatefulSet Get() { return Must(All<StatefulSet>().Get({"default", "db"})); }
  void Change(const std::function<void(StatefulSet&)>& change) {
    StatefulSet set = Get();
    change(set);
    Must(All<StatefulSet>().Update(set));
    Settle();
  }
  void ScaleTo(std::int32_t replicas) {
    Change([&](StatefulSet& set) { set.spec.replicas = replicas; });
  }
  void SetImage(const std::string& image) {
    Change([&](StatefulSet& set) { set.spec.template_.spec.containers[0].image = image; });
  }

  std::vector<Pod> Pods() { return Must(All<Pod>().ListIn("default")).items; }
  /// Each as "db-0 db:1", the name and the image.
  std::vector<std::string> PodsAndImages() {
    std::vector<std::string> pods;
    for (const Pod& pod : Pods()) {
      pods.push_back(pod.metadata.name + " " + pod.spec.containers[0].image);
    }
    return pods;
  }
  Pod PodNamed(const std::string& name) { return Must(All<Pod>().Get({"default", name})); }
  void SetPhase(const std::string& name, const std::string& phase, bool ready = false) {
    Pod pod = PodNamed(name);
    pod.status.phase = phase;
    pod.status.conditions.clear();
    if (ready) {
      pod.status.conditions.push_back(ReadyCondition(api::Time(executor_.clock().WallNow())));
    }
    Must(All<Pod>().UpdateStatus(pod));
    Settle();
  }
  void Run(const std::string& name) { SetPhase(name, "Running", /*ready=*/true); }
  /// All that is to be made, is, and is ready.
  void RunAll() {
    for (bool found = true; found;) {
      found = false;
      for (const Pod& pod : Pods()) {
        if (pod.status.phase == "Running") continue;
        found = true;
        Run(pod.metadata.name);
      }
    }
  }
  void DeletePod(const std::string& name) {
    const auto deleted = All<Pod>().Delete({"default", name});
    EXPECT_TRUE(deleted) << deleted.error().Describe();
    Settle();
  }

  std::vector<Revision> Revisions() {
    auto revisions = Must(All<Revision>().ListIn("default")).items;
    std::ranges::sort(revisions, {}, &Revision::revision);
    return revisions;
  }
  Claim ClaimNamed(const std::string& name) { return Must(All<Claim>().Get({"default", name})); }
  /// As if nobody used it any more.
  void DeleteClaim(const std::string& name) {
    const auto deleted = All<Claim>().Delete({"default", name});
    EXPECT_TRUE(deleted) << deleted.error().Describe();
    Settle();
    Must(All<Claim>().Patch({"default", name},
                            {client::PatchType::kMerge, R"({"metadata":{"finalizers":null}})"}));
    Settle();
  }
  /// Each as "data-db-0 Pod/db-0", the name and who owns it.
  std::vector<std::string> ClaimsAndOwners() {
    std::vector<std::string> claims;
    for (const Claim& claim : Must(All<Claim>().ListIn("default")).items) {
      std::string text = claim.metadata.name;
      for (const auto& owner : claim.metadata.ownerReferences) {
        text += " " + owner.kind + "/" + owner.name;
      }
      claims.push_back(std::move(text));
    }
    return claims;
  }

  /// What the controller asked for, but for the status.
  std::vector<std::string> TakeWrites() {
    std::vector<std::string> writes;
    for (const std::string& request : TakeRequests()) {
      if (!request.ends_with("/status")) writes.push_back(request);
    }
    return writes;
  }
  /// The server refuses what a request's line begins with.
  void Refuse(const std::string& requests, int code, const std::string& reason,
              const std::string& message, const std::string& details = "{}") {
    const std::string status =
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" + message +
        R"(","reason":")" + reason + R"(","details":)" + details + R"(,"code":)" +
        std::to_string(code) + "}";
    answer_instead_ = [=](const transport::Request& request) -> std::optional<transport::Response> {
      if (!(request.method + " " + request.target).starts_with(requests)) return std::nullopt;
      transport::Response response;
      response.status = code;
      response.headers = {{"content-type", "application/json"}};
      response.body = status;
      return response;
    };
  }

  runtime::FakeEventRecorder events_;
};

}  // namespace flyball::controllers::stateful_set
