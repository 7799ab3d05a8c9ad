#include "flyball/client/watch.h"

#include "flyball/api/json_decode.h"
#include "flyball/api/json_member.h"
#include "flyball/client/status_error.h"

namespace flyball::client {
namespace {

constexpr std::pair<std::string_view, EventType> kTypes[] = {
    {"ADDED", EventType::kAdded},
    {"MODIFIED", EventType::kModified},
    {"DELETED", EventType::kDeleted},
    {"BOOKMARK", EventType::kBookmark},
};

Result<EventStream::Event> MakeEvent(std::string_view type, std::string object) {
  for (const auto& [name, known] : kTypes) {
    if (name == type) return EventStream::Event{known, std::move(object)};
  }
  if (type != "ERROR") {
    return Fail(ErrorCode::kMalformed, "unknown watch event type '" + std::string(type) + "'");
  }
  const auto status = DecodeBody<meta::v1::Status>(object);
  if (!status)
    return std::unexpected(status.error().Wrap("watch event of type ERROR cannot be decoded"));
  return std::unexpected(ErrorOf(*status, ""));
}

/// An event whose object no decoder takes, because it nests too deep: its object's reader finds
/// that out again, and keeps what can be read of it. `error` is for a line that is no event.
Result<EventStream::Event> MakeEventOfUndecodable(std::string_view line, const Error& error) {
  const auto type = api::FindJsonMember(line, "type");
  const auto object = api::FindJsonMember(line, "object");
  if (!type || !object) return std::unexpected(error);
  FLYBALL_TRY(const api::Json name, api::Json::Parse(*type));
  const std::string* const text = name.If<std::string>();
  if (text == nullptr) return std::unexpected(error);
  return MakeEvent(*text, std::string(*object));
}

}  // namespace

std::string_view ToString(EventType type) {
  for (const auto& [name, known] : kTypes) {
    if (known == type) return name;
  }
  return "";
}

Result<EventStream> OpenWatch(RestClient& rest, RestRequest request, std::string_view accept) {
  const bool protobuf = accept.starts_with(kProtobufType);
  request.accept = accept.substr(0, accept.find(','));
  if (protobuf) request.accept += ";stream=watch";
  FLYBALL_TRY(auto stream, rest.Open(request));
  return EventStream(std::move(stream), protobuf, std::move(request.asked));
}

Result<std::optional<EventStream::Event>> EventStream::Next() {
  return ReadNext([this]() -> Result<std::optional<std::string>> { return stream_.Read(); });
}

Result<std::optional<EventStream::Event>> EventStream::TryNext() {
  return ReadNext([this] { return stream_.TryRead(); });
}

Result<std::optional<EventStream::Event>> EventStream::ReadNext(
    const std::function<Result<std::optional<std::string>>()>& read) {
  const auto next = [&]() -> Result<std::optional<Event>> {
    for (;;) {
      FLYBALL_TRY(auto event, NextWhole());
      if (event || ended_) return event;
      FLYBALL_TRY(failed_);
      FLYBALL_TRY(const auto bytes, read());
      if (!bytes) return std::nullopt;
      FLYBALL_TRY(Take(*bytes));
    }
  };
  auto event = next();
  if (!event) return std::unexpected(Named(event.error()));
  return event;
}

std::size_t EventStream::NextSize() {
  while (failed_ && !ended_) {
    if (const std::size_t size = protobuf_ ? frames_.NextSize() : lines_.NextSize()) return size;
    const auto bytes = stream_.TryRead();
    if (bytes && !*bytes) return 0;
    failed_ = bytes ? Take(**bytes) : std::unexpected(bytes.error());
  }
  return 0;
}

/// What was read; nothing is the end.
Result<> EventStream::Take(std::string_view bytes) {
  if (bytes.empty()) {
    const bool whole = protobuf_ ? frames_.AtBoundary() : lines_.AtBoundary();
    if (!whole) return Fail(ErrorCode::kIo, "unexpected EOF in the middle of a watch event");
    ended_ = true;
  } else if (protobuf_) {
    frames_.Feed(bytes);
  } else {
    lines_.Feed(bytes);
  }
  return {};
}

Result<std::optional<EventStream::Event>> EventStream::NextWhole() {
  if (protobuf_) {
    FLYBALL_TRY(const auto frame, frames_.Next());
    if (!frame) return std::nullopt;
    // The event itself is in an envelope where the server speaks protobuf throughout.
    std::string_view message = *frame;
    if (api::HasProtobufMagic(message)) {
      FLYBALL_TRY(const auto envelope, api::OpenEnvelope(message));
      message = envelope.raw;
    }
    FLYBALL_TRY(const auto event, api::OpenWatchEvent(message));
    return MakeEvent(event.type, std::string(event.object));
  }
  FLYBALL_TRY(const auto line, lines_.Next());
  if (!line) return std::nullopt;
  const auto event = api::DecodeJson<meta::v1::WatchEvent>(*line);
  if (!event) return MakeEventOfUndecodable(*line, event.error());
  return MakeEvent(event->type, event->object.raw);
}

}  // namespace flyball::client
