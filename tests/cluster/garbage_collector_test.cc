// garbage-collector-controller on a real API server, with the rights of its own service account:
// the three ways in which owners go, and a custom kind, which takes no strategic patches.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/audit_trail.h"
#include "tests/cluster/manager_test.h"

namespace flyball::cluster {
namespace {

using api::Json;
using client::Resource;
using core::v1::ConfigMap;
using meta::v1::OwnerReference;
using testing::ElementsAre;

const Resource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                            "CustomResourceDefinition", false};
const Resource kGadgets{"gc.example.com", "v1", "gadgets", "Gadget", true};
constexpr char kGadgetDefinition[] = R"({"apiVersion":"apiextensions.k8s.io/v1",
  "kind":"CustomResourceDefinition","metadata":{"name":"gadgets.gc.example.com"},
  "spec":{"group":"gc.example.com","scope":"Namespaced",
    "names":{"plural":"gadgets","singular":"gadget","kind":"Gadget","listKind":"GadgetList"},
    "versions":[{"name":"v1","served":true,"storage":true,
      "schema":{"openAPIV3Schema":{"type":"object",
        "x-kubernetes-preserve-unknown-fields":true}}}]}})";

class GarbageCollectorTest : public ManagerTest {
 protected:
  ConfigMap Create(const std::string& name, std::vector<OwnerReference> owners = {},
                   std::vector<std::string> finalizers = {}) const {
    ConfigMap map;
    map.metadata.namespace_ = space_;
    map.metadata.name = name;
    map.metadata.ownerReferences = std::move(owners);
    map.metadata.finalizers = std::move(finalizers);
    return Must(All<ConfigMap>().Create(map));
  }
  static OwnerReference To(const ConfigMap& owner, bool blocks = false) {
    OwnerReference reference;
    reference.apiVersion = "v1";
    reference.kind = "ConfigMap";
    reference.name = owner.metadata.name;
    reference.uid = owner.metadata.uid;
    if (blocks) reference.blockOwnerDeletion = true;
    return reference;
  }
  void Delete(const std::string& name, const std::string& propagation) const {
    meta::v1::DeleteOptions options;
    options.propagationPolicy = propagation;
    Must(All<ConfigMap>().Delete({space_, name}, options));
  }
  bool IsThere(const std::string& name) const { return Exists<ConfigMap>({space_, name}); }
  bool IsGoneSoon(const std::string& name) const {
    return Eventually([&] { return !IsThere(name); });
  }
  void RemoveFinalizers(const std::string& name) const {
    Must(All<ConfigMap>().Patch(
        {space_, name}, {client::PatchType::kMerge, R"({"metadata":{"finalizers":null}})"}));
  }
  /// What the collector wrote here, but for what is in every namespace.
  std::vector<std::string> Writes() const {
    std::vector<std::string> requests =
        RequestsOf(real_plane().audit_log(),
                   "system:serviceaccount:kube-system:generic-garbage-collector", space_);
    std::erase_if(requests, [](const std::string& request) { return request.starts_with("get"); });
    return requests;
  }

  const std::string space_ = NewNamespace();
};

TEST_F(GarbageCollectorTest, OwnersGoWithTheirDependentsBeforeThemOrWithoutThem) {
  const ConfigMap background = Create("background");
  Create("background-child", {To(background)});
  const ConfigMap foreground = Create("foreground");
  Create("foreground-child", {To(foreground, true)}, {"example.com/hold"});
  const ConfigMap orphan = Create("orphan");
  const ConfigMap friend_ = Create("friend");
  Create("orphan-child", {To(orphan, true), To(friend_)});
  StartManager();

  Delete("background", "Background");
  EXPECT_TRUE(IsGoneSoon("background-child"));

  Delete("foreground", "Foreground");
  EXPECT_TRUE(Eventually([&] {
    return Must(All<ConfigMap>().Get({space_, "foreground-child"}))
        .metadata.deletionTimestamp.has_value();
  }));
  EXPECT_TRUE(IsThere("foreground"));
  RemoveFinalizers("foreground-child");
  EXPECT_TRUE(IsGoneSoon("foreground"));

  Delete("orphan", "Orphan");
  EXPECT_TRUE(IsGoneSoon("orphan"));
  EXPECT_THAT(Must(All<ConfigMap>().Get({space_, "orphan-child"})).metadata.ownerReferences,
              ElementsAre(To(friend_)));
  EXPECT_THAT(
      Writes(),
      ElementsAre("delete configmaps background-child 200",
                  "delete configmaps foreground-child 200", "patch configmaps foreground 200",
                  "patch configmaps orphan-child 200", "patch configmaps orphan 200"));
}

TEST_F(GarbageCollectorTest, ACircleGoes) {
  const ConfigMap one = Create("one");
  const ConfigMap two = Create("two", {To(one, true)});
  ConfigMap closed = one;
  closed.metadata.ownerReferences = {To(two, true)};
  Must(All<ConfigMap>().Update(closed));
  StartManager();
  Delete("one", "Foreground");
  EXPECT_TRUE(IsGoneSoon("one"));
  EXPECT_TRUE(IsGoneSoon("two"));
}

TEST_F(GarbageCollectorTest, ACustomKindIsCollectedAndLosesOwnersWithoutStrategicPatches) {
  Must(admin().Dynamic(kDefinitions).Create(*Json::Parse(kGadgetDefinition)));
  const ConfigMap going = Create("going");
  const ConfigMap staying = Create("staying");
  const auto gadget = *Json::Parse(
      R"({"apiVersion":"gc.example.com/v1","kind":"Gadget","metadata":{"name":"gadget","namespace":")" +
      space_ + R"(","ownerReferences":[
        {"apiVersion":"v1","kind":"ConfigMap","name":"going","uid":")" +
      going.metadata.uid + R"("},
        {"apiVersion":"v1","kind":"ConfigMap","name":"staying","uid":")" +
      staying.metadata.uid + R"("}]}})");
  ASSERT_TRUE(Eventually([&] { return admin().Dynamic(kGadgets).Create(gadget).has_value(); }));
  StartManager();

  Delete("going", "Background");
  const auto owners = [&] {
    return Must(admin().Metadata(kGadgets).Get({space_, "gadget"})).metadata.ownerReferences;
  };
  EXPECT_TRUE(Eventually([&] { return owners().size() == 1; }));
  EXPECT_THAT(owners(), ElementsAre(To(staying)));
  Delete("staying", "Foreground");
  EXPECT_TRUE(IsGoneSoon("staying"));
  EXPECT_TRUE(
      Eventually([&] { return !admin().Metadata(kGadgets).Get({space_, "gadget"}).has_value(); }));
  Must(admin().Dynamic(kDefinitions).Delete({"", "gadgets.gc.example.com"}));
}

}  // namespace
}  // namespace flyball::cluster
