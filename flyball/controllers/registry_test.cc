#include "flyball/controllers/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

namespace flyball::controllers {
namespace {

using testing::ElementsAre;

TEST(Registry, NamesControllersInUpstreamsOrderTheOneForTokensFirst) {
  std::vector<std::string_view> names;
  for (const Entry& entry : All()) names.push_back(entry.name);
  EXPECT_THAT(
      names,
      ElementsAre(
          "serviceaccount-token-controller", "endpoints-controller", "endpointslice-controller",
          "endpointslice-mirroring-controller", "replicationcontroller-controller",
          "pod-garbage-collector-controller", "namespace-controller", "serviceaccount-controller",
          "garbage-collector-controller", "daemonset-controller", "job-controller",
          "deployment-controller", "replicaset-controller", "disruption-controller",
          "statefulset-controller", "cronjob-controller", "ttl-controller", "node-ipam-controller",
          "node-lifecycle-controller", "persistentvolume-binder-controller",
          "persistentvolume-attach-detach-controller", "persistentvolume-expander-controller",
          "clusterrole-aggregation-controller", "persistentvolumeclaim-protection-controller",
          "persistentvolume-protection-controller", "volumeattributesclass-protection-controller",
          "ttl-after-finished-controller", "root-ca-certificate-publisher-controller",
          "ephemeral-volume-controller", "legacy-serviceaccount-token-cleaner-controller",
          "taint-eviction-controller", "service-cidr-controller"));
}

TEST(Registry, NoNameOrAliasStandsForTwo) {
  std::set<std::string_view> names;
  for (const Entry& entry : All()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    if (entry.alias.empty()) continue;  // it has had one name only
    EXPECT_TRUE(names.insert(entry.alias).second) << entry.alias;
  }
}

}  // namespace
}  // namespace flyball::controllers
