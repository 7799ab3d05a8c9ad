/// Input: a byte of mode, a byte that seeds the sizes of the pieces, then a stream of frames. In
/// the second mode the rest is cut into payloads that are framed here, since random bytes are
/// rarely a length that fits.
#include "flyball/api/envelope.h"
#include "flyball/api/internal/fuzz_property.h"
#include "flyball/api/meta/v1.h"

namespace flyball::api {
namespace {

constexpr std::string_view kPayloadEnd = "\xff\xfe\xff";

struct Frames {
  std::vector<std::string> payloads;
  std::string error;
  bool at_boundary = false;

  friend bool operator==(const Frames&, const Frames&) = default;
};

/// Takes out all frames there are. False if the stream is broken.
bool Drain(FrameReader& reader, Frames& frames) {
  for (;;) {
    const auto frame = reader.Next();
    if (!frame) {
      CheckRefusal(frame.error());
      const auto again = reader.Next();
      FLYBALL_CHECK(!again && again.error() == frame.error(), "a broken stream mends itself");
      frames.error = frame.error().Describe();
      return false;
    }
    if (!*frame) return true;
    frames.payloads.emplace_back(**frame);
  }
}

/// Reads the stream in pieces of 1 to `largest` bytes, sizes following from `seed`.
Frames ReadInPieces(std::string_view stream, std::size_t largest, std::uint32_t seed) {
  FrameReader reader;
  Frames frames;
  while (!stream.empty() && frames.error.empty()) {
    seed = seed * 1664525 + 1013904223;
    const std::string_view piece = stream.substr(0, (seed >> 16) % largest + 1);
    reader.Feed(piece);
    stream.remove_prefix(piece.size());
    if (!Drain(reader, frames)) break;
  }
  frames.at_boundary = frames.error.empty() && reader.AtBoundary();
  return frames;
}

std::string FrameAll(std::string_view input) {
  std::string stream;
  while (!input.empty()) {
    const std::size_t end = std::min(input.find(kPayloadEnd), input.size());
    stream += SealFrame(input.substr(0, end));
    input.remove_prefix(std::min(end + kPayloadEnd.size(), input.size()));
  }
  return stream;
}

void CheckEnvelope(std::string_view bytes) {
  const auto envelope = OpenEnvelope(bytes);
  if (!envelope) return CheckRefusal(envelope.error());
  const std::string sealed = SealEnvelope(envelope->api_version, envelope->kind, envelope->raw);
  const auto again = OpenEnvelope(sealed);
  FLYBALL_CHECK(again, again.error().Describe());
  FLYBALL_CHECK(again->api_version == envelope->api_version && again->kind == envelope->kind &&
                    again->raw == envelope->raw,
                "an envelope changes when it is sealed and opened");

  const auto object = DecodeObject(bytes, Format::kProtobuf);
  if (!object) return CheckRefusal(object.error());
  const auto encoded = EncodeObject(*object, Format::kProtobuf);
  if (!encoded) return CheckRefusal(encoded.error());
  const auto second = DecodeObject(*encoded, Format::kProtobuf);
  FLYBALL_CHECK(second, second.error().Describe());
  FLYBALL_CHECK(EncodeObject(*second, Format::kProtobuf) == encoded,
                "an object changes when it is read and written");
}

void CheckPayload(std::string_view payload) {
  CheckEnvelope(payload);
  const auto event = DecodeProtobuf<meta::v1::WatchEvent>(payload);
  if (!event) return CheckRefusal(event.error());
  CheckEnvelope(event->object.raw);
  const auto encoded = EncodeProtobuf(*event);
  FLYBALL_CHECK(encoded, encoded.error().Describe());
  FLYBALL_CHECK(DecodeProtobuf<meta::v1::WatchEvent>(*encoded) == event,
                "a watch event changes when it is written and read");
}

}  // namespace
}  // namespace flyball::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flyball::api;  // NOLINT(google-build-using-namespace)
  std::string_view input = FuzzInput(data, size);
  const bool framed_here = (TakeByte(input) & 1) != 0;
  const std::uint32_t seed = TakeByte(input);
  const std::string stream = framed_here ? FrameAll(input) : std::string(input);

  Frames at_once;
  FrameReader reader;
  reader.Feed(stream);
  at_once.at_boundary = Drain(reader, at_once) && reader.AtBoundary();
  for (const std::size_t largest : {std::size_t{7}, std::size_t{64}, std::size_t{1000}}) {
    FLYBALL_CHECK(ReadInPieces(stream, largest, seed) == at_once,
                  "the frames depend on how the stream arrives");
  }
  FLYBALL_CHECK(!framed_here || at_once.at_boundary, "our own frames are not read");
  for (const std::string& payload : at_once.payloads) CheckPayload(payload);
  return 0;
}
