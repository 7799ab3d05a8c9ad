#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"

/// The bytes around an encoded object: Kubernetes' protobuf envelope and the frames of a watch.
namespace flyball::api {

/// Marks a body as Kubernetes protobuf, in etcd and on the wire.
inline constexpr std::string_view kProtobufMagic{"k8s\0", 4};

/// What the envelope says of the object in it. Views into the bytes it was read from.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view raw;           ///< the object's own protobuf message
  std::string_view content_type;  ///< empty for protobuf
};

bool HasProtobufMagic(std::string_view bytes);
Result<Envelope> OpenEnvelope(std::string_view bytes);
/// The kind in the envelope's first field alone, for those who read the rest as it comes.
Result<std::string_view> KindOfTypeMeta(std::string_view message);
std::string SealEnvelope(std::string_view api_version, std::string_view kind, std::string_view raw);

/// A list's message taken apart, its items not yet decoded. Every list kind has its metadata in
/// field 1 and its items in field 2. Views into the bytes it was read from.
struct ListFrame {
  std::string_view metadata;  ///< a meta/v1.ListMeta message
  std::vector<std::string_view> items;
};
Result<ListFrame> OpenList(std::string_view message);
/// The body of a list, in its envelope. No item is copied twice: lists are large.
std::string SealList(std::string_view api_version, std::string_view kind, const ListFrame& list);

/// A watch event taken apart, its object still in an envelope.
struct WatchEventFrame {
  std::string_view type;  ///< ADDED, MODIFIED, DELETED, BOOKMARK or ERROR
  std::string_view object;
};
Result<WatchEventFrame> OpenWatchEvent(std::string_view message);

/// A watch answers with a stream of frames, each a 4-byte big-endian length and that many bytes.
/// Feed() takes the stream in whatever pieces it arrives; Next() hands out whole frames.
class FrameReader {
 public:
  /// No object is larger: the server itself refuses to store a tenth of that. Upstream's limit.
  static constexpr std::size_t kMaxFrameSize = 16 * 1024 * 1024;

  void Feed(std::string_view bytes);

  /// The next whole frame, valid until the next Feed(); nothing if more bytes are needed; an error
  /// if the stream cannot be trusted any more, from then on always the same one.
  Result<std::optional<std::string_view>> Next();

  /// The size of that frame; 0 if more bytes are needed, or the stream cannot be trusted.
  std::size_t NextSize() const;

  /// True between frames: a stream that ends here lost nothing.
  bool AtBoundary() const { return read_ == buffer_.size(); }

 private:
  std::string buffer_;
  std::size_t read_ = 0;
};

/// Cuts a stream of JSON into events: the server writes one a line, and JSON has no line ends
/// within texts. The same as FrameReader otherwise. Each byte is looked at once, however small the
/// pieces are in which a line arrives.
class LineReader {
 public:
  void Feed(std::string_view bytes);
  Result<std::optional<std::string_view>> Next();
  std::size_t NextSize();
  bool AtBoundary() const { return read_ == buffer_.size(); }

 private:
  bool FindEnd();

  std::string buffer_;
  std::size_t read_ = 0;
  std::size_t searched_ = 0;  // up to here there is no line end after read_
};

/// One frame with its length in front.
std::string SealFrame(std::string_view payload);

}  // namespace flyball::api
