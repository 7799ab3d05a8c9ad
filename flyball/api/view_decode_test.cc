#include "flyball/api/view_decode.h"

#include <algorithm>
#include <random>

#include "flyball/api/core/v1.h"
#include "flyball/api/internal/view_oracle.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/views.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

core::v1::Pod WebPod() {
  core::v1::Pod pod;
  pod.metadata.name = "web-0";
  pod.metadata.namespace_ = "shop";
  pod.metadata.uid = "b7c6";
  pod.metadata.labels = {{"app", "web"}, {"tier", "front"}};
  pod.metadata.annotations = {{"controller.kubernetes.io/pod-deletion-cost", "7"},
                              {"note", "not kept"}};
  meta::v1::OwnerReference owner;
  owner.kind = "ReplicaSet";
  owner.name = "web";
  owner.controller = true;
  pod.metadata.ownerReferences.push_back(owner);
  pod.metadata.creationTimestamp = Time::FromUnix(1'700'000'000);
  core::v1::Container container;
  container.name = "server";
  container.image = "not kept";
  container.resources.requests = {{"cpu", Quantity::FromMilli(100, Quantity::Format::kDecimalSi)}};
  core::v1::EnvVar plain;
  plain.name = "LEVEL";
  plain.value = "info";
  core::v1::EnvVar secret;
  secret.name = "TOKEN";
  secret.valueFrom.emplace().secretKeyRef.emplace().name = "api-token";
  container.env = {plain, secret};
  pod.spec.containers.push_back(container);
  core::v1::Volume config;
  config.name = "config";
  config.configMap.emplace();
  core::v1::Volume data;
  data.name = "data";
  data.persistentVolumeClaim.emplace().claimName = "data-web-0";
  core::v1::Volume disk;
  disk.name = "disk";
  disk.csi.emplace().driver = "disk.example.com";
  pod.spec.volumes = {config, data, disk};
  pod.spec.nodeName = "node-1";
  pod.status.phase = "Running";
  core::v1::PodCondition ready;
  ready.type = "Ready";
  ready.status = "True";
  ready.message = "all is well";
  pod.status.conditions.push_back(ready);
  return pod;
}

std::string Encoded(const core::v1::Pod& pod) { return EncodeProtobuf(pod).value(); }

TEST(ViewDecode, KeepsTheFieldsOfTheView) {
  ViewDecoder decoder;
  const auto view = decoder.Decode<views::Pod>(Encoded(WebPod()));
  ASSERT_TRUE(view) << view.error().Describe();
  const views::Pod& pod = **view;
  EXPECT_EQ(pod.metadata.name, "web-0");
  EXPECT_EQ(pod.metadata.labels.find("tier"), "front");
  EXPECT_EQ(pod.metadata.labels.find("absent"), std::nullopt);
  EXPECT_EQ(pod.metadata.ownerReferences[0].controller, true);
  EXPECT_EQ(pod.metadata.creationTimestamp.ToTime(), Time::FromUnix(1'700'000'000));
  EXPECT_FALSE(pod.metadata.deletionTimestamp);
  EXPECT_EQ(pod.spec.containers[0].resources.requests.find("cpu"), "100m");
  EXPECT_EQ(pod.spec.nodeName, "node-1");
  EXPECT_EQ(pod.status.conditions[0].type, "Ready");
}

TEST(ViewDecode, KeepsOnlyTheKeysAskedFor) {
  ViewDecoder decoder;
  const auto view = decoder.Decode<views::Pod>(Encoded(WebPod())).value();
  EXPECT_EQ(view->metadata.annotations.size(), 1u);
  EXPECT_EQ(view->metadata.annotations.find("controller.kubernetes.io/pod-deletion-cost"), "7");
}

TEST(ViewDecode, LeavesOutElementsInWhichNothingIsKept) {
  ViewDecoder decoder;
  const auto view = decoder.Decode<views::Pod>(Encoded(WebPod())).value();
  ASSERT_EQ(view->spec.containers[0].env.size(), 1u);
  EXPECT_EQ(view->spec.containers[0].env[0].valueFrom->secretKeyRef->name, "api-token");
  ASSERT_EQ(view->spec.volumes.size(), 2u);  // the config map's volume is nobody's business
  EXPECT_EQ(view->spec.volumes[0].name, "data");
  EXPECT_EQ(view->spec.volumes[0].persistentVolumeClaim->claimName, "data-web-0");
}

TEST(ViewDecode, KeepsRareFieldsInWireForm) {
  ViewDecoder decoder;
  const auto view = decoder.Decode<views::Pod>(Encoded(WebPod())).value();
  const auto source = DecodeProtobuf<core::v1::VolumeSource>(view->spec.volumes[1].rare).value();
  EXPECT_EQ(source.csi->driver, "disk.example.com");
  const auto condition =
      DecodeProtobuf<core::v1::PodCondition>(view->status.conditions[0].rare).value();
  EXPECT_EQ(condition.message, "all is well");
}

TEST(ViewDecode, SharesWhatReplicasHaveInCommon) {
  ViewDecoder decoder;
  core::v1::Pod second = WebPod();
  second.metadata.name = "web-1";
  const auto a = decoder.Decode<views::Pod>(Encoded(WebPod())).value();
  const auto b = decoder.Decode<views::Pod>(Encoded(second)).value();
  EXPECT_EQ(a->metadata.labels.begin(), b->metadata.labels.begin());
  EXPECT_EQ(a->metadata.ownerReferences.begin(), b->metadata.ownerReferences.begin());
  EXPECT_EQ(a->spec.nodeName.encoded(), b->spec.nodeName.encoded());
  EXPECT_NE(a->metadata.name, b->metadata.name);
}

TEST(ViewDecode, AViewOutlivesItsDecoder) {
  std::shared_ptr<const views::Pod> pod;
  {
    ViewDecoder decoder;
    pod = decoder.Decode<views::Pod>(Encoded(WebPod())).value();
  }
  EXPECT_EQ(pod->metadata.labels.find("app"), "web");
}

TEST(ViewDecode, NamesTheFieldThatIsWrong) {
  core::v1::Pod pod = WebPod();
  pod.spec.containers.emplace_back().ports.emplace_back().name = "bad \xff";
  ViewDecoder decoder;
  const auto view = decoder.Decode<views::Pod>(Encoded(pod));
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().Describe(),
            "malformed: spec.containers[1].ports[0].name: not valid UTF-8");
  EXPECT_TRUE(decoder.Decode<views::Pod>(Encoded(WebPod())));
}

void ExpectSameAsFull(ViewDecoder& decoder, std::string_view bytes) {
  const auto full = DecodeProtobuf<core::v1::Pod>(bytes);
  const auto view = decoder.Decode<views::Pod>(bytes);
  if (!full || !view) return;
  EXPECT_EQ(CompareWithFull(view->get(), views::Pod::kView, &*full, core::v1::Pod::kType), "");
}

TEST(ViewDecode, AMessageInTwoPartsIsOneMessage) {
  ViewDecoder decoder;
  const std::string once = Encoded(WebPod());
  ExpectSameAsFull(decoder, once + once);
  ExpectSameAsFull(decoder, once + once + once);
}

TEST(ViewDecode, AnOverlongLengthIsStillAText) {
  // Field 1 (metadata), in it field 1 (name) and field 11 (a label), lengths in five bytes each.
  std::string metadata = "\x0a" + std::string("\x83\x80\x80\x80\x00", 5) + "web";
  const std::string key = "\x0a" + std::string("\x81\x80\x80\x80\x00", 5) + "k";
  metadata += "\x5a" + std::string(1, static_cast<char>(key.size())) + key;
  const std::string pod = "\x0a" + std::string(1, static_cast<char>(metadata.size())) + metadata;
  ViewDecoder decoder;
  const auto view = decoder.Decode<views::Pod>(pod).value();
  EXPECT_EQ(view->metadata.name, "web");
  EXPECT_EQ(view->metadata.labels.find("k"), "");
  ExpectSameAsFull(decoder, pod);
}

TEST(ViewDecode, DamagedBytesGiveTheSameAsTheFullObjectOrAnError) {
  ViewDecoder decoder;
  std::mt19937 random(37);
  const std::string good = Encoded(WebPod());
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    ExpectSameAsFull(decoder, bytes);
  }
}

}  // namespace
}  // namespace flyball::api
