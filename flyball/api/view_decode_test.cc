#include "flyball/api/view_decode.h"

#include <algorithm>
#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>
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
  pod.spec.containers.emplace_back().ports.emplace_back().name = "misread";
  std::string bytes = Encoded(pod);
  // The name becomes a number, at whose end no field begins.
  bytes[bytes.find("misread") - 2] = 0x08;
  ViewDecoder decoder;
  const auto view = decoder.Decode<views::Pod>(bytes);
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().Describe(),
            "malformed: spec.containers[1].ports[0].name: wire type 0 where 2 belongs");
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

/// A field of the wire type that has a length.
std::string Wire(std::uint32_t number, std::string_view payload) {
  std::string bytes;
  protozero::add_varint_to_buffer(&bytes, number << 3 | 2);
  protozero::add_varint_to_buffer(&bytes, payload.size());
  return bytes.append(payload);
}
std::string WireSpec(std::string_view fields) { return Wire(2, fields); }
std::string WireSecret(std::string_view name) { return Wire(15, Wire(1, name)); }
std::string WireLabel(std::string_view key, std::string_view value) {
  return Wire(11, Wire(1, key) + Wire(2, value));
}
std::string WirePodWithLabels(std::string_view labels) { return Wire(1, labels); }

std::vector<std::pair<std::string, std::string>> LabelsOf(const views::Pod& pod) {
  std::vector<std::pair<std::string, std::string>> labels;
  for (const auto& [key, value] : pod.metadata.labels) {
    labels.emplace_back(key.view(), value.view());
  }
  return labels;
}

TEST(ViewDecode, RareFieldsAreTheBytesOfTheWireInItsOrder) {
  const std::string node = Wire(10, "node-1");
  const std::string overhead = Wire(32, Wire(1, "cpu") + Wire(2, Wire(1, "1m")));
  for (const std::size_t length : {1, 20, 61, 62, 63, 64, 200, 20'000}) {
    SCOPED_TRACE(length);
    const std::string a = WireSecret("a") + WireSecret(std::string(length, 'b'));
    const std::string c = WireSecret("c") + overhead;
    ViewDecoder decoder;
    // Without and with fields of the view in between, and in one message or two.
    for (const std::string& wire : {WireSpec(a + c), WireSpec(a + node + c), WireSpec(node + a + c),
                                    WireSpec(a) + WireSpec(c), WireSpec(a) + WireSpec(node + c)}) {
      const auto view = decoder.Decode<views::Pod>(wire).value();
      EXPECT_EQ(view->spec.rare, a + c);
      ExpectSameAsFull(decoder, wire);
    }
  }
}

TEST(ViewDecode, MessagesWithinMessagesHaveRareFieldsOfTheirOwn) {
  core::v1::Pod pod = WebPod();
  pod.spec.volumes[2].csi->driver = std::string(150, 'd');
  pod.status.conditions[0].message = std::string(300, 'm');
  pod.status.conditions.push_back(pod.status.conditions[0]);
  pod.status.conditions[1].message = "short";
  for (int i = 0; i < 40; ++i) {
    pod.spec.imagePullSecrets.emplace_back().name = "secret-" + std::to_string(i);
  }
  ViewDecoder decoder;
  const auto view = decoder.Decode<views::Pod>(Encoded(pod)).value();
  EXPECT_EQ(CompareWithFull(view.get(), views::Pod::kView, &pod, core::v1::Pod::kType), "");
  const auto source = DecodeProtobuf<core::v1::VolumeSource>(view->spec.volumes[1].rare).value();
  EXPECT_EQ(source.csi->driver, std::string(150, 'd'));
  for (const std::size_t i : {0, 1}) {
    const auto condition =
        DecodeProtobuf<core::v1::PodCondition>(view->status.conditions[i].rare).value();
    EXPECT_EQ(condition.message, pod.status.conditions[i].message);
  }
  const auto spec = DecodeProtobuf<core::v1::PodSpec>(view->spec.rare).value();
  EXPECT_EQ(spec.imagePullSecrets, pod.spec.imagePullSecrets);
  // Volumes are in front of the secrets on the wire: theirs were not taken for the spec's.
  EXPECT_TRUE(spec.volumes.empty());
}

TEST(ViewDecode, AfterADamagedMessageRareFieldsAreThoseOfTheNext) {
  ViewDecoder decoder;
  // The field behind the secret is longer than what there is.
  const std::string damaged = WireSecret("a") + "\x52\x7f";
  EXPECT_FALSE(decoder.Decode<views::Pod>(WireSpec(damaged)));
  const auto view = decoder.Decode<views::Pod>(WireSpec(WireSecret("b"))).value();
  EXPECT_EQ(view->spec.rare, WireSecret("b"));
}

TEST(ViewDecode, SortsLabelsOfWhichTheLastOfAKeyCounts) {
  const std::string wire = WirePodWithLabels(WireLabel("tier", "front") + WireLabel("app", "old") +
                                             WireLabel("zone", "a") + WireLabel("app", "web") +
                                             WireLabel("tier", "back"));
  ViewDecoder decoder;
  const auto view = decoder.Decode<views::Pod>(wire).value();
  EXPECT_THAT(LabelsOf(*view),
              testing::ElementsAre(testing::Pair("app", "web"), testing::Pair("tier", "back"),
                                   testing::Pair("zone", "a")));
  EXPECT_EQ(view->metadata.labels.find("app"), "web");
  ExpectSameAsFull(decoder, wire);
}

TEST(ViewDecode, SortsLabelsThatComeInTwoParts) {
  const std::string wire = WirePodWithLabels(WireLabel("b", "1") + WireLabel("d", "2")) +
                           WirePodWithLabels(WireLabel("a", "3") + WireLabel("d", "4"));
  ViewDecoder decoder;
  for (int i = 0; i < 2; ++i) {
    const auto view = decoder.Decode<views::Pod>(wire).value();
    EXPECT_THAT(LabelsOf(*view),
                testing::ElementsAre(testing::Pair("a", "3"), testing::Pair("b", "1"),
                                     testing::Pair("d", "4")));
  }
  // What the first part left in the pool is as it was.
  const auto first =
      decoder.Decode<views::Pod>(WirePodWithLabels(WireLabel("b", "1") + WireLabel("d", "2")))
          .value();
  EXPECT_THAT(LabelsOf(*first),
              testing::ElementsAre(testing::Pair("b", "1"), testing::Pair("d", "2")));
}

TEST(ViewDecode, SharesLabelsThatComeInAnotherOrder) {
  ViewDecoder decoder;
  const auto a = decoder.Decode<views::Pod>(
      WirePodWithLabels(WireLabel("app", "web") + WireLabel("tier", "front")));
  const auto b = decoder.Decode<views::Pod>(
      WirePodWithLabels(WireLabel("tier", "front") + WireLabel("app", "web")));
  EXPECT_EQ((*a)->metadata.labels.begin(), (*b)->metadata.labels.begin());
}

TEST(ViewDecode, FindsEachOfManyLabels) {
  for (const int count : {1, 7, 8, 9, 10, 100}) {
    SCOPED_TRACE(count);
    std::string labels;
    // Values that are too long for the pool are kept with the object.
    const std::string tail(200, 'v');
    for (int i = count; i > 0; --i) {
      labels += WireLabel("k" + std::to_string(2 * i), std::to_string(i) + tail);
    }
    ViewDecoder decoder;
    const auto view = decoder.Decode<views::Pod>(WirePodWithLabels(labels)).value();
    for (int i = 1; i <= count; ++i) {
      EXPECT_EQ(view->metadata.labels.find("k" + std::to_string(2 * i)), std::to_string(i) + tail);
      EXPECT_EQ(view->metadata.labels.find("k" + std::to_string(2 * i + 1)), std::nullopt);
    }
    EXPECT_EQ(view->metadata.labels.find(""), std::nullopt);
    EXPECT_EQ(view->metadata.labels.find("z"), std::nullopt);
  }
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
