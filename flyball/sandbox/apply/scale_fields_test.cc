#include "flyball/sandbox/apply/scale_fields.h"

#include "gtest/gtest.h"

namespace flyball::sandbox::apply {
namespace {

meta::v1::ManagedFieldsEntry Entry(std::string manager, std::string operation, std::string version,
                                   std::string fields) {
  meta::v1::ManagedFieldsEntry entry;
  entry.manager = std::move(manager);
  entry.operation = std::move(operation);
  entry.apiVersion = std::move(version);
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = api::RawJson{std::move(fields)};
  return entry;
}

const std::string kReplicas = R"({"f:spec":{"f:replicas":{}}})";

ReplicasPaths Paths() {
  return {{"apps/v1", {PathElement::Field("spec"), PathElement::Field("replicas")}}};
}

TEST(ScaleFields, AScaleHasTheManagersOfTheReplicas) {
  const Entries entries = {
      Entry("helm", "Apply", "apps/v1", R"({"f:spec":{"f:paused":{}}})"),
      Entry("kubectl", "Update", "apps/v1", R"({"f:spec":{"f:paused":{},"f:replicas":{}}})")};
  EXPECT_EQ(EntriesOfScale(entries, Paths()).value(),
            Entries{Entry("kubectl", "Update", "autoscaling/v1", kReplicas)});
}

TEST(ScaleFields, WhoScalesTakesTheReplicasOfTheObject) {
  const Entries entries = {
      Entry("helm", "Apply", "apps/v1", R"({"f:spec":{"f:paused":{},"f:replicas":{}}})")};
  auto scaler = Entry("kubectl", "Update", "autoscaling/v1", kReplicas);
  scaler.subresource = "scale";
  auto expected = scaler;
  expected.apiVersion = "apps/v1";
  const Entries after = {Entry("helm", "Apply", "apps/v1", R"({"f:spec":{"f:paused":{}}})"),
                         expected};
  EXPECT_EQ(EntriesAfterScale(entries, {scaler}, Paths(), "apps/v1").value(), after);
}

TEST(ScaleFields, AnApplierWhoKeepsTheReplicasKeepsItsEntry) {
  const Entries entries = {
      Entry("helm", "Apply", "apps/v1", R"({"f:spec":{"f:paused":{},"f:replicas":{}}})")};
  EXPECT_EQ(EntriesAfterScale(entries, {Entry("helm", "Apply", "autoscaling/v1", kReplicas)},
                              Paths(), "apps/v1")
                .value(),
            entries);
}

}  // namespace
}  // namespace flyball::sandbox::apply
