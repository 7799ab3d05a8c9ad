#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/view_decode.h"
#include "flyball/api/views.h"
#include "flyball/base/sanitizers.h"

/// What decoding costs where somebody has made an object to be expensive.
namespace flyball::api {
namespace {

std::string PodWithSecrets(int count) {
  core::v1::Pod pod;
  pod.metadata.name = "pod";
  for (int i = 0; i < count; ++i) {
    pod.spec.imagePullSecrets.emplace_back().name = std::to_string(i);
  }
  return EncodeProtobuf(pod).value();
}

std::size_t SecretsKept(const views::Pod& pod) {
  return DecodeProtobuf<core::v1::PodSpec>(pod.spec.rare.view()).value().imagePullSecrets.size();
}

// Sanitizers have an allocator of their own, which takes more and does not tell.
#ifndef FLYBALL_SANITIZED

std::size_t HeapBytes() {
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

/// From now on this process gets no more than so many bytes.
void AllowNoMoreThan(std::size_t bytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limit{.rlim_cur = most, .rlim_max = most};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(2);
}

TEST(ViewDecodeCostDeathTest, AFieldThatIsRepeatedTakesMemoryInProportionToItsSize) {
  for (const int count : {20'000, 60'000}) {
    const std::string bytes = PodWithSecrets(count);
    EXPECT_EXIT(
        {
          AllowNoMoreThan(8 * bytes.size() + (8UL << 20));
          ViewDecoder decoder;
          const auto view = decoder.Decode<views::Pod>(bytes);
          std::_Exit(view && (*view)->spec.rare.view().size() > bytes.size() / 2 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "")
        << count;
  }
}

TEST(ViewDecodeCost, ADecoderGivesBackWhatALargeObjectTook) {
  ViewDecoder decoder;
  ASSERT_TRUE(decoder.Decode<views::Pod>(PodWithSecrets(1)));
  const std::string bytes = PodWithSecrets(200'000);
  const std::string damaged = bytes.substr(0, bytes.size() - 1);
  const std::size_t before = HeapBytes();
  for (const std::string& large : {std::cref(bytes), std::cref(damaged)}) {
    (void)decoder.Decode<views::Pod>(large);
    EXPECT_LE(HeapBytes(), before + (1UL << 20)) << large.size();
  }
  EXPECT_TRUE(decoder.Decode<views::Pod>(bytes));
}

#endif

// A decoder that copies at each occurrence what it has so far, or walks the copies that it made,
// takes 10^11 steps here and runs into the time limit of all tests.
TEST(ViewDecodeCost, AFieldThatIsRepeatedTakesTimeInProportionToItsSize) {
  ViewDecoder decoder;
  const auto view = decoder.Decode<views::Pod>(PodWithSecrets(500'000));
  ASSERT_TRUE(view) << view.error().Describe();
  EXPECT_EQ(SecretsKept(**view), 500'000);
}

// Of each label all others are looked at: 2 x 10^10 comparisons, beyond the time limit of tests.
TEST(ViewDecodeCost, ManyLabelsAreFoundWithoutLookingAtAll) {
  core::v1::Pod pod;
  constexpr int kCount = 200'000;
  for (int i = 0; i < kCount; ++i) {
    pod.metadata.labels.insert_or_assign(std::to_string(kCount + i), "v");
  }
  ViewDecoder decoder;
  const auto view = decoder.Decode<views::Pod>(EncodeProtobuf(pod).value()).value();
  int found = 0;
  for (int i = 0; i < kCount; ++i) {
    if (view->metadata.labels.find(std::to_string(kCount + i))) ++found;
  }
  EXPECT_EQ(found, kCount);
}

}  // namespace
}  // namespace flyball::api
