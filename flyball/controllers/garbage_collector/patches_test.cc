#include "flyball/controllers/garbage_collector/patches.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flyball::controllers::garbage_collector {
namespace {

using client::PatchType;
using meta::v1::ObjectMeta;
using meta::v1::OwnerReference;

ObjectMeta Object() {
  ObjectMeta object;
  object.name = "object";
  object.uid = "its-uid";
  object.resourceVersion = "7";
  for (const char* const name : {"a", "b", "c"}) {
    OwnerReference& owner = object.ownerReferences.emplace_back();
    owner.apiVersion = "v1";
    owner.kind = "ConfigMap";
    owner.name = name;
    owner.uid = std::string("uid-") + name;
  }
  object.ownerReferences[0].controller = true;
  object.ownerReferences[0].blockOwnerDeletion = true;
  object.ownerReferences[1].blockOwnerDeletion = false;
  return object;
}

TEST(GarbageCollectorPatches, TakeOwnersByTheirUids) {
  const std::vector<std::string> owners{"uid-a", "uid-c"};
  const auto patch = WithoutOwners("its-uid", owners);
  EXPECT_EQ(patch.type, PatchType::kStrategic);
  EXPECT_EQ(patch.text, R"({"metadata":{"ownerReferences":[{"$patch":"delete","uid":"uid-a"},)"
                        R"({"$patch":"delete","uid":"uid-c"}],"uid":"its-uid"}})");
}

TEST(GarbageCollectorPatches, PutTheOwnersThatAreLeft) {
  const std::vector<std::string> some{"uid-a", "uid-c"};
  const auto patch = WithoutOwnersWhole(Object(), some);
  EXPECT_EQ(patch->type, PatchType::kMerge);
  EXPECT_EQ(patch->text, R"({"metadata":{"ownerReferences":[{"apiVersion":"v1",)"
                         R"("blockOwnerDeletion":false,"kind":"ConfigMap","name":"b",)"
                         R"("uid":"uid-b"}],"resourceVersion":"7"}})");
  const std::vector<std::string> all{"uid-a", "uid-b", "uid-c"};
  EXPECT_EQ(WithoutOwnersWhole(Object(), all)->text,
            R"({"metadata":{"ownerReferences":null,"resourceVersion":"7"}})");
}

TEST(GarbageCollectorPatches, UnblockTheOwnersThatAreBlocked) {
  const auto patch = Unblocked(Object());
  EXPECT_EQ(patch->type, PatchType::kStrategic);
  EXPECT_EQ(patch->text, R"({"metadata":{"ownerReferences":[{"apiVersion":"v1",)"
                         R"("blockOwnerDeletion":false,"controller":true,"kind":"ConfigMap",)"
                         R"("name":"a","uid":"uid-a"}],"uid":"its-uid"}})");
}

TEST(GarbageCollectorPatches, UnblockAllOwnersWhereTheListIsPutWhole) {
  ObjectMeta object = Object();
  object.ownerReferences.erase(object.ownerReferences.begin() + 1);
  const auto patch = UnblockedWhole(object);
  EXPECT_EQ(patch->type, PatchType::kMerge);
  EXPECT_EQ(patch->text, R"({"metadata":{"ownerReferences":[{"apiVersion":"v1",)"
                         R"("blockOwnerDeletion":false,"controller":true,"kind":"ConfigMap",)"
                         R"("name":"a","uid":"uid-a"},{"apiVersion":"v1",)"
                         R"("blockOwnerDeletion":false,"kind":"ConfigMap","name":"c",)"
                         R"("uid":"uid-c"}],"resourceVersion":"7"}})");
}

TEST(GarbageCollectorPatches, TakeOneFinalizerAndKeepTheOthersInOrder) {
  ObjectMeta object = Object();
  object.finalizers = {"z", "orphan", "a"};
  const auto patch = WithoutFinalizer(object, "orphan");
  EXPECT_EQ(patch.type, PatchType::kMerge);
  EXPECT_EQ(patch.text, R"({"metadata":{"finalizers":["z","a"],"resourceVersion":"7"}})");
  object.finalizers = {"orphan"};
  EXPECT_EQ(WithoutFinalizer(object, "orphan").text,
            R"({"metadata":{"finalizers":null,"resourceVersion":"7"}})");
}

}  // namespace
}  // namespace flyball::controllers::garbage_collector
