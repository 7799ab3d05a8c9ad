#include "flyball/controllers/common/pod_from_template.h"

#include <gtest/gtest.h>

namespace flyball::controllers::common {
namespace {

TEST(PodFromTemplate, HasWhatTheTemplateSaysAndItsOwner) {
  core::v1::PodTemplateSpec made_of;
  made_of.metadata.name = "ignored";
  made_of.metadata.namespace_ = "ignored";
  made_of.metadata.labels["app"] = "web";
  made_of.metadata.annotations["note"] = "kept";
  made_of.metadata.finalizers = {"example.com/wait"};
  made_of.spec.containers.emplace_back().name = "main";
  meta::v1::OwnerReference owner;
  owner.apiVersion = "apps/v1";
  owner.kind = "ReplicaSet";
  owner.name = "web";
  owner.uid = "uid-of-web";
  owner.controller = owner.blockOwnerDeletion = true;

  core::v1::Pod expected;
  expected.metadata.namespace_ = "ns";
  expected.metadata.generateName = "web-";
  expected.metadata.labels = made_of.metadata.labels;
  expected.metadata.annotations = made_of.metadata.annotations;
  expected.metadata.finalizers = made_of.metadata.finalizers;
  expected.metadata.ownerReferences = {owner};
  expected.spec = made_of.spec;
  EXPECT_EQ(PodFromTemplate(made_of, "ns", owner), expected);
}

}  // namespace
}  // namespace flyball::controllers::common
