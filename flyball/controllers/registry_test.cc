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
      ElementsAre("serviceaccount-token-controller", "replicationcontroller-controller",
                  "pod-garbage-collector-controller", "namespace-controller",
                  "serviceaccount-controller", "garbage-collector-controller",
                  "daemonset-controller", "job-controller", "deployment-controller",
                  "replicaset-controller", "disruption-controller", "statefulset-controller",
                  "cronjob-controller", "clusterrole-aggregation-controller",
                  "ttl-after-finished-controller", "root-ca-certificate-publisher-controller",
                  "legacy-serviceaccount-token-cleaner-controller"));
}

TEST(Registry, NoNameOrAliasStandsForTwo) {
  std::set<std::string_view> names;
  for (const Entry& entry : All()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_TRUE(names.insert(entry.alias).second) << entry.alias;
  }
}

}  // namespace
}  // namespace flyball::controllers
