#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "flyball/api/envelope.h"
#include "flyball/base/result.h"
#include "flyball/client/object_codec.h"
#include "flyball/transport/fetch.h"

namespace flyball::client {

enum class EventType : std::uint8_t { kAdded, kModified, kDeleted, kBookmark };

std::string_view ToString(EventType type);

template <typename T>
struct WatchEvent {
  EventType type = EventType::kAdded;
  T object;  ///< of a bookmark, nothing but its resourceVersion and annotations
};

/// The events of a response, before their objects are looked into.
class EventStream {
 public:
  /// `asked` is what errors begin with: "watch pods in default".
  EventStream(transport::ResponseStream stream, bool protobuf, std::string asked)
      : stream_(std::move(stream)), protobuf_(protobuf), asked_(std::move(asked)) {}

  struct Event {
    EventType type;
    std::string object;  ///< encoded
  };
  /// Blocks for the next one; nothing at the end. An error that the server sends as an event is one
  /// here: kGone for a resourceVersion that is too old.
  Result<std::optional<Event>> Next();
  /// The next one, if it is there; nothing if it is not, or at the end, which ended() tells.
  Result<std::optional<Event>> TryNext();
  bool ended() const { return ended_; }
  /// The size of the next event if all of it is there, else 0. Takes what has arrived.
  std::size_t NextSize();
  /// See ResponseStream::OnReadable().
  void OnReadable(std::function<void()> readable) { stream_.OnReadable(std::move(readable)); }
  /// The same error, with what was asked in front.
  Error Named(const Error& error) const { return error.Wrap(asked_); }
  void Cancel() const { stream_.Cancel(); }

 private:
  Result<std::optional<Event>> ReadNext(
      const std::function<Result<std::optional<std::string>>()>& read);
  Result<std::optional<Event>> NextWhole();
  Result<> Take(std::string_view bytes);

  transport::ResponseStream stream_;
  const bool protobuf_;
  std::string asked_;
  api::FrameReader frames_;  // of protobuf
  api::LineReader lines_;    // of JSON
  Result<> failed_;          // what NextSize() met
  bool ended_ = false;
};

/// Starts a watch. `accept` may name several formats: the first is used, since their frames differ.
Result<EventStream> OpenWatch(RestClient& rest, RestRequest request, std::string_view accept);

/// The changes of a collection, as they happen. Destroying it ends it. Next() by one thread at a
/// time, Cancel() by any.
template <typename T>
class Watch {
 public:
  explicit Watch(EventStream events) : events_(std::move(events)) {}

  /// Blocks for the next event; nothing when the server has ended the watch, which it does every
  /// few minutes.
  Result<std::optional<WatchEvent<T>>> Next() {
    FLYBALL_TRY(auto event, events_.Next());
    if (!event) return std::nullopt;
    Result<T> object = ObjectCodec<T>::Decode(event->object);
    if (!object) return std::unexpected(events_.Named(object.error()));
    return WatchEvent<T>{event->type, *std::move(object)};
  }
  void Cancel() const { events_.Cancel(); }

 private:
  EventStream events_;
};

}  // namespace flyball::client
