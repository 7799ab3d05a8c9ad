// What the server says of storage; tests/sameness holds the rest of it to kube-apiserver.
#include "flyball/sandbox/internal/server_fixture.h"
#include "gmock/gmock.h"

namespace flyball::sandbox {
namespace {

using testing::HasSubstr;

const std::string kStorage = "/apis/storage.k8s.io/v1/";

class StorageTest : public ServerFixture {
 protected:
  std::string Refusal(const std::string& plural, const std::string& body) {
    const auto refused = Post(kStorage + plural, body);
    EXPECT_EQ(refused.status, 422) << refused.body.ToString();
    return refused.At("message");
  }
};

TEST_F(StorageTest, ADriverIsDescribedInFull) {
  const auto made =
      Post(kStorage + "csidrivers", R"({"metadata":{"name":"d.example.com"},"spec":{}})");
  EXPECT_EQ(made.At("spec"),
            R"({"attachRequired":true,"fsGroupPolicy":"ReadWriteOnceWithFSType",)"
            R"("podInfoOnMount":false,"preventPodSchedulingIfMissing":false,)"
            R"("requiresRepublish":false,"seLinuxMount":false,"storageCapacity":false,)"
            R"("volumeLifecycleModes":["Persistent"]})");
  const auto refused =
      MergePatch(kStorage + "csidrivers/d.example.com", R"({"spec":{"attachRequired":false}})");
  EXPECT_EQ(refused.At("message"),
            "CSIDriver.storage.k8s.io \"d.example.com\" is invalid: spec.attachedRequired: Invalid "
            "value: false: field is immutable");
}

TEST_F(StorageTest, ADriverOfANodeStaysWhatItIs) {
  ASSERT_EQ(Post(kStorage + "csinodes",
                 R"({"metadata":{"name":"n"},"spec":{"drivers":[{"name":"d","nodeID":"a"}]}})")
                .status,
            201);
  const auto refused =
      MergePatch(kStorage + "csinodes/n", R"({"spec":{"drivers":[{"name":"d","nodeID":"b"}]}})");
  EXPECT_EQ(
      refused.At("message"),
      "CSINode.storage.k8s.io \"n\" is invalid: spec.drivers: Invalid value: "
      "{\"Name\":\"d\",\"NodeID\":\"b\",\"TopologyKeys\":null,\"Allocatable\":null}: field is "
      "immutable");
  EXPECT_EQ(
      MergePatch(kStorage + "csinodes/n",
                 R"({"spec":{"drivers":[{"name":"d","nodeID":"a","allocatable":{"count":3}}]}})")
          .status,
      200);
}

TEST_F(StorageTest, AnAttachmentHasAStatusOfItsOwn) {
  const std::string path = kStorage + "volumeattachments";
  const auto made =
      Post(path, R"({"metadata":{"name":"a"},"spec":{"attacher":"d","nodeName":"n",)"
                 R"("source":{"persistentVolumeName":"v"}},"status":{"attached":true}})");
  EXPECT_EQ(made.At("status.attached"), "false");
  EXPECT_EQ(MergePatch(path + "/a/status", R"({"status":{"attached":true}})").At("status.attached"),
            "true");
  EXPECT_EQ(MergePatch(path + "/a", R"({"spec":{"nodeName":"m"}})").At("message"),
            "VolumeAttachment.storage.k8s.io \"a\" is invalid: spec: Invalid value: null: field is "
            "immutable");
}

TEST_F(StorageTest, AnAttachmentNamesWhatIsAttachedWhere) {
  EXPECT_THAT(Refusal("volumeattachments", R"({"metadata":{"name":"a"},"spec":{}})"),
              testing::AllOf(HasSubstr("spec.source: Required value: must specify exactly one of "
                                       "inlineVolumeSpec and persistentVolumeName"),
                             HasSubstr("spec.nodeName: Invalid value: \"\""),
                             HasSubstr("spec.attacher: Required value")));
}

TEST_F(StorageTest, AClassIsOfAProvisionerWithAName) {
  EXPECT_THAT(
      Refusal("storageclasses",
              R"({"metadata":{"name":"c"},"provisioner":"a/b/c","parameters":{"":"x"}})"),
      testing::AllOf(HasSubstr("provisioner: Invalid value: \"a/b/c\""),
                     HasSubstr("parameters: Invalid value: \"\": field can not be empty.")));
}

}  // namespace
}  // namespace flyball::sandbox
