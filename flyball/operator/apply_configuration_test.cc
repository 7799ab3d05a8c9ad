#include "flyball/operator/apply_configuration.h"

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

bool Satisfied(const Deployment& actual, const Deployment& desired) {
  return Satisfies(*api::ToJson(actual), *ApplyConfigurationOf(desired), Deployment::kType);
}

TEST(ApplyConfiguration, IsWhatIsSetAndItsKind) {
  EXPECT_EQ(ApplyConfigurationOf(Web())->ToString(),
            R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":)"
            R"({"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":)"
            R"({"labels":{"app":"web"}},"spec":{"containers":[{"image":"nginx","name":"web",)"
            R"("ports":[{"containerPort":80}],"resources":{"requests":{"memory":"1Gi"}}}],)"
            R"("volumes":[{"emptyDir":{},"name":"scratch"}]}}}})");
}

TEST(ApplyConfiguration, SaysNothingOfStatus) {
  Deployment web = Web();
  web.status.readyReplicas = 2;
  EXPECT_EQ(ApplyConfigurationOf(web), ApplyConfigurationOf(Web()));
}

TEST(ApplyConfiguration, IsSatisfiedByWhatAServerMakesOfIt) {
  Deployment stored = Web();
  api::ApplyDefaults(stored);
  stored.metadata.resourceVersion = "7";
  stored.metadata.annotations["deployment.kubernetes.io/revision"] = "1";
  stored.status.readyReplicas = 2;
  EXPECT_TRUE(Satisfied(stored, Web()));
}

TEST(ApplyConfiguration, IsNotSatisfiedByAnotherValue) {
  Deployment stored = Web();
  api::ApplyDefaults(stored);
  stored.spec.template_.spec.containers[0].image = "nginx:2";
  EXPECT_FALSE(Satisfied(stored, Web()));
}

TEST(ApplyConfiguration, IsNotSatisfiedWhereSomethingIsMissing) {
  Deployment stored = Web();
  stored.spec.template_.spec.volumes.clear();
  EXPECT_FALSE(Satisfied(stored, Web()));
  stored = Web();
  stored.metadata.labels.clear();
  Deployment labelled = Web();
  labelled.metadata.labels["team"] = "a";
  EXPECT_FALSE(Satisfied(stored, labelled));
}

TEST(ApplyConfiguration, ComparesQuantitiesByValue) {
  Deployment stored = Web();
  const Json actual = *api::ToJson(stored);
  Deployment desired = Web();
  desired.spec.template_.spec.containers[0].resources.requests["memory"] =
      *api::Quantity::Parse("1048576Ki");
  EXPECT_TRUE(Satisfied(stored, desired));
  desired.spec.template_.spec.containers[0].resources.requests["memory"] =
      *api::Quantity::Parse("1025Mi");
  EXPECT_FALSE(Satisfied(stored, desired));
}

TEST(ApplyConfiguration, FindsElementsThatAreKeptByKeysAmongOthers) {
  Deployment stored = Web();
  core::v1::Container sidecar;
  sidecar.name = "sidecar";
  auto& containers = stored.spec.template_.spec.containers;
  containers.insert(containers.begin(), sidecar);
  EXPECT_TRUE(Satisfied(stored, Web()));
  containers.pop_back();
  EXPECT_FALSE(Satisfied(stored, Web()));
}

TEST(ApplyConfiguration, TakesOtherListsAsAWhole) {
  Deployment desired = Web();
  desired.spec.template_.spec.containers[0].args = {"-v"};
  Deployment stored = desired;
  stored.spec.template_.spec.containers[0].args = {"-v", "-x"};
  EXPECT_FALSE(Satisfied(stored, desired));
}

TEST(ApplyConfiguration, LeavesAloneWhatOthersAddToAMap) {
  ConfigMap desired;
  desired.data["a"] = "1";
  ConfigMap stored = desired;
  stored.data["b"] = "2";
  EXPECT_TRUE(Satisfies(*api::ToJson(stored), *ApplyConfigurationOf(desired), ConfigMap::kType));
  EXPECT_FALSE(Satisfies(*api::ToJson(desired), *ApplyConfigurationOf(stored), ConfigMap::kType));
}

TEST(ApplyConfiguration, IsNotSatisfiedByWhatIsNoObject) {
  EXPECT_FALSE(Satisfies(Parsed("[]"), *ApplyConfigurationOf(Web()), Deployment::kType));
  EXPECT_FALSE(Satisfies(Parsed(R"({"spec":1})"), *ApplyConfigurationOf(Web()), Deployment::kType));
}

TEST(ApplyConfiguration, HasAFingerprintOfAllThatIsSet) {
  Deployment other = Web();
  EXPECT_EQ(*Fingerprint(Web()), *Fingerprint(other));
  other.spec.paused = true;
  EXPECT_NE(*Fingerprint(Web()), *Fingerprint(other));
}

}  // namespace
}  // namespace flyball
