#include "flyball/api/envelope.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using namespace std::string_literals;

std::string ErrorOf(std::string_view bytes) {
  const auto opened = OpenEnvelope(bytes);
  if (opened) return "no error";
  EXPECT_EQ(opened.error().code(), ErrorCode::kMalformed);
  return opened.error().message();
}

std::string WithMagic(std::string_view bytes) { return std::string(kProtobufMagic).append(bytes); }

TEST(Envelope, WhatIsSealedOpensAgain) {
  const std::string sealed = SealEnvelope("apps/v1", "Deployment", "raw bytes");
  EXPECT_TRUE(HasProtobufMagic(sealed));
  const auto opened = OpenEnvelope(sealed);
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(opened->api_version, "apps/v1");
  EXPECT_EQ(opened->kind, "Deployment");
  EXPECT_EQ(opened->raw, "raw bytes");
  EXPECT_EQ(opened->content_type, "");
}

TEST(Envelope, RefusesWhatIsNone) {
  EXPECT_EQ(ErrorOf(""), "not Kubernetes protobuf: it does not start with k8s\\0");
  EXPECT_EQ(ErrorOf("k8s"), "not Kubernetes protobuf: it does not start with k8s\\0");
  EXPECT_EQ(ErrorOf("{}"), "not Kubernetes protobuf: it does not start with k8s\\0");
  EXPECT_EQ(ErrorOf(WithMagic("\x12\x05raw")), "protobuf envelope: end of buffer exception");
  EXPECT_EQ(ErrorOf(WithMagic("\x10\x05")), "protobuf envelope: wire type 0 where 2 belongs");
  EXPECT_EQ(ErrorOf(WithMagic("\x1a\x04gzip")),
            "protobuf envelope: content encodings are not known");
}

TEST(Envelope, EveryPrefixIsRefusedOrLacksOnlyWholeFields) {
  const std::string sealed = SealEnvelope("v1", "Pod", "raw");
  int opened = 0;
  for (std::size_t size = 0; size < sealed.size(); ++size) {
    if (OpenEnvelope(std::string_view(sealed).substr(0, size))) ++opened;
  }
  EXPECT_EQ(opened, 4);  // cut behind the magic, and behind each field but the last
}

std::vector<std::string> ReadAll(auto& reader) {
  std::vector<std::string> frames;
  while (true) {
    const auto next = reader.Next();
    EXPECT_TRUE(next.has_value());
    if (!next || !*next) return frames;
    frames.emplace_back(**next);
  }
}

TEST(FrameReader, GivesWholeFramesHoweverTheBytesArrive) {
  const std::string stream = SealFrame("one") + SealFrame("") + SealFrame(std::string(300, 'x'));
  const std::vector<std::string> wanted = {"one", "", std::string(300, 'x')};
  for (const std::size_t piece : {1UL, 2UL, 3UL, 5UL, 7UL, 64UL, stream.size()}) {
    FrameReader reader;
    std::vector<std::string> frames;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      reader.Feed(std::string_view(stream).substr(at, piece));
      for (auto& frame : ReadAll(reader)) frames.push_back(std::move(frame));
    }
    EXPECT_EQ(frames, wanted) << piece;
    EXPECT_TRUE(reader.AtBoundary()) << piece;
  }
}

TEST(Envelope, AListIsTheMessageOfItsPartsInAnEnvelope) {
  const std::string large(300, 'x');  // its length takes two bytes
  const std::string message = "\x0a\x04meta\x12\x00\x12\x03one\x12\xac\x02"s + large;
  const std::string sealed = SealList("v1", "PodList", {"meta", {"", "one", large}});
  EXPECT_EQ(sealed, SealEnvelope("v1", "PodList", message));
  EXPECT_EQ(SealList("v1", "PodList", {}), SealEnvelope("v1", "PodList", "\x0a\x00"s));
}

TEST(FrameReader, KnowsAStreamThatEndsInsideAFrame) {
  const std::string frame = SealFrame("payload");
  for (std::size_t size = 1; size < frame.size(); ++size) {
    FrameReader reader;
    reader.Feed(std::string_view(frame).substr(0, size));
    EXPECT_TRUE(ReadAll(reader).empty());
    EXPECT_FALSE(reader.AtBoundary()) << size;
  }
}

TEST(FrameReader, AnOversizedFrameIsAnErrorFromItsHeaderOnAndForGood) {
  FrameReader reader;
  reader.Feed(SealFrame("good") + std::string("\x01\x00\x00\x01", 4));
  EXPECT_EQ(**reader.Next(), "good");
  for (int i = 0; i < 2; ++i) {
    const auto next = reader.Next();
    ASSERT_FALSE(next.has_value());
    EXPECT_EQ(next.error(),
              Error(ErrorCode::kTooLarge,
                    "a watch event of 16777217 bytes, where at most 16777216 are taken"));
    reader.Feed(SealFrame("more"));
  }
}

TEST(FrameReader, NextSizeIsThatOfTheNextFrameOnceItIsWhole) {
  const std::string stream = SealFrame("1234567") + SealFrame("12");
  FrameReader reader;
  for (std::size_t size = 0; size < 11; ++size) {
    EXPECT_EQ(reader.NextSize(), 0U) << size;
    reader.Feed(std::string_view(stream).substr(size, 1));
  }
  EXPECT_EQ(reader.NextSize(), 7U);
  reader.Feed(std::string_view(stream).substr(11));
  EXPECT_EQ(reader.NextSize(), 7U);
  EXPECT_EQ(**reader.Next(), "1234567");
  EXPECT_EQ(reader.NextSize(), 2U);
}

TEST(LineReader, GivesWholeLinesHoweverTheBytesArrive) {
  const std::string stream = "one\n\n" + std::string(300, 'x') + "\n";
  const std::vector<std::string> wanted = {"one", "", std::string(300, 'x')};
  for (const std::size_t piece : {1UL, 2UL, 3UL, 5UL, 7UL, 64UL, stream.size()}) {
    LineReader reader;
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      reader.Feed(std::string_view(stream).substr(at, piece));
      for (auto& line : ReadAll(reader)) lines.push_back(std::move(line));
    }
    EXPECT_EQ(lines, wanted) << piece;
    EXPECT_TRUE(reader.AtBoundary()) << piece;
  }
}

TEST(LineReader, NextSizeIsThatOfTheNextLineOnceItIsWhole) {
  LineReader reader;
  reader.Feed("1234567");
  EXPECT_EQ(reader.NextSize(), 0U);
  EXPECT_FALSE(reader.AtBoundary());
  reader.Feed("\n12\n");
  EXPECT_EQ(reader.NextSize(), 7U);
  EXPECT_EQ(**reader.Next(), "1234567");
  EXPECT_EQ(reader.NextSize(), 2U);
}

TEST(LineReader, LineWithoutEndIsAnErrorOnceItIsTooLong) {
  LineReader reader;
  reader.Feed(std::string(FrameReader::kMaxFrameSize, 'x'));
  EXPECT_EQ(*reader.Next(), std::nullopt);
  reader.Feed("x");
  const auto next = reader.Next();
  ASSERT_FALSE(next.has_value());
  EXPECT_EQ(next.error(),
            Error(ErrorCode::kTooLarge,
                  "a watch event of 16777217 bytes, where at most 16777216 are taken"));
}

TEST(FrameReader, TheLargestFrameIsTaken) {
  const std::string largest(FrameReader::kMaxFrameSize, 'x');
  FrameReader reader;
  reader.Feed(SealFrame(largest));
  EXPECT_EQ(ReadAll(reader), std::vector<std::string>{largest});
}

}  // namespace
}  // namespace flyball::api
