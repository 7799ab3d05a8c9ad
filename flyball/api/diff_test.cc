#include "flyball/api/diff.h"

#include "flyball/api/core/v1.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

TEST(Diff, IsEmptyForEqualObjects) {
  core::v1::Pod pod;
  pod.metadata.name = "web-0";
  EXPECT_EQ(Diff(pod, pod), "");
}

TEST(Diff, NamesEachDifferenceByItsPath) {
  core::v1::Pod before;
  before.metadata.name = "web-0";
  before.metadata.labels = {{"app.kubernetes.io/name", "web"}, {"tier", "front"}};
  before.spec.containers.emplace_back().image = "web:1";
  core::v1::Pod after = before;
  after.metadata.labels.erase("tier");
  after.metadata.labels["app.kubernetes.io/name"] = "shop";
  after.spec.containers[0].image = "web:2";
  after.spec.containers.emplace_back().name = "sidecar";
  EXPECT_EQ(Diff(before, after),
            "metadata.labels[app.kubernetes.io/name]: \"web\" -> \"shop\"\n"
            "- metadata.labels.tier: \"front\"\n"
            "spec.containers[0].image: \"web:1\" -> \"web:2\"\n"
            "+ spec.containers[1]: {\"name\":\"sidecar\",\"resources\":{}}\n");
}

}  // namespace
}  // namespace flyball::api
