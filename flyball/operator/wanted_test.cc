#include "flyball/operator/wanted.h"

#include <gtest/gtest.h>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/defaulting.h"

namespace flyball {
namespace {

using api::Json;
using apps::v1::Deployment;
using core::v1::ConfigMap;
using core::v1::Service;

Json Parsed(std::string_view text) { return *Json::Parse(text); }

Deployment Web() {
  Deployment web;
  web.metadata.name = "web";
  web.spec.replicas = 2;
  web.spec.selector.emplace().matchLabels = {{"app", "web"}};
  auto& pod = web.spec.template_;
  pod.metadata.labels = {{"app", "web"}};
  auto& container = pod.spec.containers.emplace_back();
  container.name = "web";
  container.image = "nginx";
  container.ports.emplace_back().containerPort = 80;
  container.resources.requests["memory"] = *api::Quantity::Parse("1024Mi");
  auto& volume = pod.spec.volumes.emplace_back();
  volume.name = "scratch";
  volume.emptyDir.emplace();
  return web;
}

bool Satisfied(const Deployment& actual, const Deployment& wanted) {
  return Satisfies(*api::ToJson(actual), *WantedOf(wanted), Deployment::kType);
}

TEST(Wanted, IsWhatIsSetAndItsKind) {
  EXPECT_EQ(WantedOf(Web())->ToString(),
            R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":)"
            R"({"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":)"
            R"({"labels":{"app":"web"}},"spec":{"containers":[{"image":"nginx","name":"web",)"
            R"("ports":[{"containerPort":80}],"resources":{"requests":{"memory":"1Gi"}}}],)"
            R"("volumes":[{"emptyDir":{},"name":"scratch"}]}}}})");
}

TEST(Wanted, SaysNothingOfStatus) {
  Deployment web = Web();
  web.status.readyReplicas = 2;
  EXPECT_EQ(WantedOf(web), WantedOf(Web()));
}

TEST(Wanted, IsSatisfiedByWhatAServerMakesOfIt) {
  Deployment stored = Web();
  api::ApplyDefaults(stored);
  stored.metadata.resourceVersion = "7";
  stored.metadata.annotations["deployment.kubernetes.io/revision"] = "1";
  stored.status.readyReplicas = 2;
  EXPECT_TRUE(Satisfied(stored, Web()));
}

TEST(Wanted, IsNotSatisfiedByAnotherValue) {
  Deployment stored = Web();
  api::ApplyDefaults(stored);
  stored.spec.template_.spec.containers[0].image = "nginx:2";
  EXPECT_FALSE(Satisfied(stored, Web()));
}

TEST(Wanted, IsNotSatisfiedWhereSomethingIsMissing) {
  Deployment stored = Web();
  stored.spec.template_.spec.volumes.clear();
  EXPECT_FALSE(Satisfied(stored, Web()));
  stored = Web();
  stored.metadata.labels.clear();
  Deployment labelled = Web();
  labelled.metadata.labels["team"] = "a";
  EXPECT_FALSE(Satisfied(stored, labelled));
}

TEST(Wanted, ComparesQuantitiesByValue) {
  Deployment stored = Web();
  const Json actual = *api::ToJson(stored);
  Deployment wanted = Web();
  wanted.spec.template_.spec.containers[0].resources.requests["memory"] =
      *api::Quantity::Parse("1048576Ki");
  EXPECT_TRUE(Satisfied(stored, wanted));
  wanted.spec.template_.spec.containers[0].resources.requests["memory"] =
      *api::Quantity::Parse("1025Mi");
  EXPECT_FALSE(Satisfied(stored, wanted));
}

TEST(Wanted, FindsElementsThatAreKeptByKeysAmongOthers) {
  Deployment stored = Web();
  core::v1::Container sidecar;
  sidecar.name = "sidecar";
  auto& containers = stored.spec.template_.spec.containers;
  containers.insert(containers.begin(), sidecar);
  EXPECT_TRUE(Satisfied(stored, Web()));
  containers.pop_back();
  EXPECT_FALSE(Satisfied(stored, Web()));
}

TEST(Wanted, TakesOtherListsAsAWhole) {
  Deployment wanted = Web();
  wanted.spec.template_.spec.containers[0].args = {"-v"};
  Deployment stored = wanted;
  stored.spec.template_.spec.containers[0].args = {"-v", "-x"};
  EXPECT_FALSE(Satisfied(stored, wanted));
}

TEST(Wanted, LeavesAloneWhatOthersAddToAMap) {
  ConfigMap wanted;
  wanted.data["a"] = "1";
  ConfigMap stored = wanted;
  stored.data["b"] = "2";
  EXPECT_TRUE(Satisfies(*api::ToJson(stored), *WantedOf(wanted), ConfigMap::kType));
  EXPECT_FALSE(Satisfies(*api::ToJson(wanted), *WantedOf(stored), ConfigMap::kType));
}

TEST(Wanted, IsNotSatisfiedByWhatIsNoObject) {
  EXPECT_FALSE(Satisfies(Parsed("[]"), *WantedOf(Web()), Deployment::kType));
  EXPECT_FALSE(Satisfies(Parsed(R"({"spec":1})"), *WantedOf(Web()), Deployment::kType));
}

TEST(Wanted, HasAFingerprintOfAllThatIsSet) {
  Deployment other = Web();
  EXPECT_EQ(*Fingerprint(Web()), *Fingerprint(other));
  other.spec.paused = true;
  EXPECT_NE(*Fingerprint(Web()), *Fingerprint(other));
}

}  // namespace
}  // namespace flyball
