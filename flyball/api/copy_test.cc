#include "flyball/api/copy.h"

#include "flyball/api/core/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/member_text.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using core::v1::Pod;

Pod SomePod() {
  return *DecodeJson<Pod>(R"({
      "metadata": {"name": "web", "labels": {"a": "b"}, "deletionTimestamp": "2026-01-02T03:04:05Z"},
      "spec": {"hostNetwork": true, "priority": 7,
               "containers": [{"name": "c", "resources": {"limits": {"cpu": "100m"}},
                               "env": [{"name": "E", "valueFrom": {"fieldRef": {"fieldPath": "p"}}}]}],
               "nodeSelector": {"disk": "ssd"}, "novel": [1, 2]},
      "status": {"phase": "Running", "podIPs": [{"ip": "10.0.0.1"}], "observedGeneration": 3}})");
}

TEST(CopyTest, ACopyIsEqualWhateverWasThereBefore) {
  const Pod from = SomePod();
  Pod to = SomePod();
  to.spec.containers.emplace_back();
  to.spec.nodeSelector["other"] = "x";
  to.status.phase = "Failed";
  to.metadata.deletionGracePeriodSeconds = 30;
  CopyStruct(&to, &from, Pod::kType);
  EXPECT_EQ(to, from);
}

TEST(CopyTest, OneMemberLeavesTheOthersAlone) {
  const Pod from = SomePod();
  Pod to;
  to.metadata.name = "other";
  for (const Field& field : Pod::kType.fields) {
    if (field.name == "status") CopyMember(&to, &from, field);
  }
  EXPECT_EQ(to.status, from.status);
  EXPECT_EQ(to.metadata.name, "other");
  EXPECT_EQ(to.spec, core::v1::PodSpec());
}

TEST(MemberTextTest, LeavesAreFoundByTheirPlace) {
  const Pod pod = SomePod();
  const auto text = [&](std::string_view path) { return MemberText(&pod, Pod::kType, path); };
  EXPECT_EQ(text("metadata.name"), "web");
  EXPECT_EQ(text("status.phase"), "Running");
  EXPECT_EQ(text("spec.hostNetwork"), "true");
  EXPECT_EQ(text("spec.hostPID"), "false");
  EXPECT_EQ(text("spec.priority"), "7");
  EXPECT_EQ(text("status.observedGeneration"), "3");
  EXPECT_EQ(text("spec.nodeName"), "");
  EXPECT_EQ(text("spec.novel"), "");
  EXPECT_EQ(text("spec"), "");
  EXPECT_EQ(text("status.podIPs"), "");
  EXPECT_EQ(text("spec.securityContext.runAsUser"), "");
}

}  // namespace
}  // namespace flyball::api
