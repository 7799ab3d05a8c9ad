#include "flyball/api/envelope.h"

#include <algorithm>
#include <protozero/exception.hpp>
#include <protozero/pbf_writer.hpp>
#include <utility>

#include "flyball/api/internal/protobuf_leaf.h"

namespace flyball::api {
namespace {

constexpr std::size_t kFrameHeader = 4;

/// A buffer that is larger than this is given back when it is empty: one large object does not stay
/// in the memory of its stream for good.
constexpr std::size_t kKeptBuffer = 64 * 1024;

/// More than what is around an object takes: its type, and the lengths.
constexpr std::size_t kAroundObject = 256;
constexpr std::size_t kAroundItem = 8;

/// In place of what has been read.
void Append(std::string_view bytes, std::size_t read, std::string& buffer) {
  if (read == buffer.size() && buffer.capacity() > kKeptBuffer) {
    buffer = std::string(bytes);
    return;
  }
  buffer.erase(0, read);
  buffer.append(bytes);
}

/// What its header says, once that is there.
std::optional<std::size_t> SizeOfFirst(std::string_view frames) {
  if (frames.size() < kFrameHeader) return std::nullopt;
  std::size_t size = 0;
  for (std::size_t i = 0; i < kFrameHeader; ++i) {
    size = size << 8 | static_cast<unsigned char>(frames[i]);
  }
  return size;
}

std::unexpected<Error> TooLarge(std::size_t size) {
  return Fail(ErrorCode::kTooLarge, "a watch event of " + std::to_string(size) +
                                        " bytes, where at most " +
                                        std::to_string(FrameReader::kMaxFrameSize) + " are taken");
}

void ReadTypeMeta(protozero::pbf_reader message, Envelope& envelope) {
  while (message.next()) {
    if (message.tag() == 1) {
      envelope.api_version = ReadString(message);
    } else if (message.tag() == 2) {
      envelope.kind = ReadString(message);
    } else {
      message.skip();
    }
  }
}

/// Calls `read` at each field of a message; what goes wrong becomes an Error about `what`.
template <typename Read>
Result<> ReadFields(std::string_view what, std::string_view message, Read read) {
  try {
    protozero::pbf_reader reader(message.data(), message.size());
    while (reader.next()) read(reader);
    return {};
  } catch (const DecodeFailure& failure) {
    return Fail(ErrorCode::kMalformed, std::string(what) + ": " + failure.message);
  } catch (const protozero::exception& error) {
    return Fail(ErrorCode::kMalformed, std::string(what) + ": " + error.what());
  }
}

/// An envelope whose second field, of about that size, `write` adds.
template <typename Write>
std::string Seal(std::string_view api_version, std::string_view kind, std::size_t size,
                 Write write) {
  std::string out(kProtobufMagic);
  out.reserve(size + kAroundObject);
  protozero::pbf_writer writer(out);
  {
    protozero::pbf_writer type_meta(writer, 1);
    type_meta.add_string(1, api_version.data(), api_version.size());
    type_meta.add_string(2, kind.data(), kind.size());
  }
  write(writer);
  writer.add_string(3, "");
  writer.add_string(4, "");
  return out;
}

}  // namespace

bool HasProtobufMagic(std::string_view bytes) { return bytes.starts_with(kProtobufMagic); }

Result<Envelope> OpenEnvelope(std::string_view bytes) {
  if (!HasProtobufMagic(bytes)) {
    return Fail(ErrorCode::kMalformed, "not Kubernetes protobuf: it does not start with k8s\\0");
  }
  Envelope envelope;
  FLYBALL_TRY(
      ReadFields("protobuf envelope", bytes.substr(kProtobufMagic.size()), [&](auto& field) {
        switch (field.tag()) {
          case 1:
            return ReadTypeMeta(ReadMessage(field), envelope);
          case 2:
            envelope.raw = ReadBytes(field);
            return;
          case 3:
            if (!ReadString(field).empty()) throw DecodeFailure{"content encodings are not known"};
            return;
          case 4:
            envelope.content_type = ReadString(field);
            return;
          default:
            field.skip();
        }
      }));
  return envelope;
}

Result<std::string_view> KindOfTypeMeta(std::string_view message) {
  std::string_view kind;
  FLYBALL_TRY(ReadFields("protobuf envelope", message, [&](auto& field) {
    if (field.tag() == 2) {
      kind = ReadString(field);
    } else {
      field.skip();
    }
  }));
  return kind;
}

Result<ListFrame> OpenList(std::string_view message) {
  ListFrame list;
  FLYBALL_TRY(ReadFields("list", message, [&](auto& field) {
    if (field.tag() == 1) {
      list.metadata = ReadBytes(field);
    } else if (field.tag() == 2) {
      if (list.items.empty()) list.items.reserve(CountRun(field));
      list.items.push_back(ReadBytes(field));
    } else {
      field.skip();
    }
  }));
  return list;
}

Result<WatchEventFrame> OpenWatchEvent(std::string_view message) {
  WatchEventFrame event;
  FLYBALL_TRY(ReadFields("watch event", message, [&](auto& field) {
    if (field.tag() == 1) {
      event.type = ReadString(field);
    } else if (field.tag() == 2) {
      event.object = ReadOnlyField(ReadMessage(field));
    } else {
      field.skip();
    }
  }));
  return event;
}

std::string SealEnvelope(std::string_view api_version, std::string_view kind,
                         std::string_view raw) {
  return Seal(api_version, kind, raw.size(), [&](protozero::pbf_writer& envelope) {
    envelope.add_bytes(2, raw.data(), raw.size());
  });
}

std::string SealList(std::string_view api_version, std::string_view kind, const ListFrame& list) {
  std::size_t size = list.metadata.size();
  for (const std::string_view item : list.items) size += item.size() + kAroundItem;
  return Seal(api_version, kind, size, [&](protozero::pbf_writer& envelope) {
    protozero::pbf_writer message(envelope, 2);
    message.add_bytes(1, list.metadata.data(), list.metadata.size());
    for (const std::string_view item : list.items) message.add_bytes(2, item.data(), item.size());
  });
}

void FrameReader::Feed(std::string_view bytes) { Append(bytes, std::exchange(read_, 0), buffer_); }

Result<std::optional<std::string_view>> FrameReader::Next() {
  const std::string_view left = std::string_view(buffer_).substr(read_);
  const std::optional<std::size_t> size = SizeOfFirst(left);
  if (!size) return std::nullopt;
  if (*size > kMaxFrameSize) return TooLarge(*size);
  if (left.size() - kFrameHeader < *size) return std::nullopt;
  read_ += kFrameHeader + *size;
  return left.substr(kFrameHeader, *size);
}

std::size_t FrameReader::NextSize() const {
  const std::string_view left = std::string_view(buffer_).substr(read_);
  const std::optional<std::size_t> size = SizeOfFirst(left);
  return size && left.size() - kFrameHeader >= *size ? *size : 0;
}

void LineReader::Feed(std::string_view bytes) {
  searched_ -= read_;
  Append(bytes, std::exchange(read_, 0), buffer_);
}

Result<std::optional<std::string_view>> LineReader::Next() {
  if (!FindEnd()) {
    if (buffer_.size() - read_ > FrameReader::kMaxFrameSize)
      return TooLarge(buffer_.size() - read_);
    return std::nullopt;
  }
  const auto line = std::string_view(buffer_).substr(read_, searched_ - read_);
  read_ = searched_ = searched_ + 1;
  return line;
}

std::size_t LineReader::NextSize() { return FindEnd() ? searched_ - read_ : 0; }

/// Whether `searched_` is at the end of the next line.
bool LineReader::FindEnd() {
  searched_ = std::min(buffer_.find('\n', searched_), buffer_.size());
  return searched_ < buffer_.size();
}

std::string SealFrame(std::string_view payload) {
  std::string frame;
  frame.reserve(kFrameHeader + payload.size());
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame += static_cast<char>(payload.size() >> shift & 0xff);
  }
  return frame.append(payload);
}

}  // namespace flyball::api
