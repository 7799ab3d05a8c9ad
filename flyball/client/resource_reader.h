#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/client/object_reader.h"
#include "flyball/client/resource.h"
#include "flyball/client/resource_client.h"
#include "flyball/client/watch.h"

/// A collection as caches read it: object by object as they come, each in memory of its own, to be
/// shared by all who look at it. What cannot be decoded comes in a watch as well, marked
/// (unreadable.h), and in a list if that is asked for.
namespace flyball::client {

/// A change of a collection, or a mark in the stream of them.
template <typename T>
struct SharedEvent {
  EventType type = EventType::kAdded;
  std::shared_ptr<const T> object = nullptr;  ///< none at a bookmark
  /// A bookmark's: all changes up to here have been sent.
  std::string resource_version = {};
  /// A bookmark's: what the collection held at the start of the watch has been sent.
  bool initial_events_end = false;
};

/// What a bookmark says.
struct Bookmark {
  std::string resource_version;
  bool initial_events_end = false;

  static Result<Bookmark> Read(std::string_view object);
};

/// The changes of a collection. Destroying it ends it. One thread at a time.
template <typename T>
class SharedWatch {
 public:
  SharedWatch(EventStream events, ObjectReader<T>& reader)
      : events_(std::move(events)), reader_(&reader) {}

  /// Blocks for the next event; nothing when the server has ended the watch.
  Result<std::optional<SharedEvent<T>>> Next() { return Read(events_.Next()); }
  /// The next event, if it is there; nothing if it is not, or when the server has ended the watch,
  /// which ended() tells. Never blocks: OnReadable() says when to ask again.
  Result<std::optional<SharedEvent<T>>> TryNext() { return Read(events_.TryNext()); }
  bool ended() const { return events_.ended(); }
  /// The size of the next event, encoded, if all of it is there, else 0. Never blocks.
  std::size_t NextSize() { return events_.NextSize(); }
  /// Has `readable` called, by a thread of the transport, each time there may be a new event.
  void OnReadable(std::function<void()> readable) { events_.OnReadable(std::move(readable)); }

 private:
  Result<std::optional<SharedEvent<T>>> Read(Result<std::optional<EventStream::Event>> event) {
    FLYBALL_TRY(event);
    if (!*event) return std::nullopt;
    auto shared = Read(**event);
    if (!shared) return std::unexpected(events_.Named(shared.error()));
    return *std::move(shared);
  }

  Result<SharedEvent<T>> Read(const EventStream::Event& event) {
    SharedEvent<T> shared{.type = event.type};
    if (event.type == EventType::kBookmark) {
      FLYBALL_TRY(Bookmark mark, Bookmark::Read(event.object));
      shared.resource_version = std::move(mark.resource_version);
      shared.initial_events_end = mark.initial_events_end;
    } else {
      FLYBALL_TRY(shared.object,
                  KeptUnreadable<T>(reader_->Read(event.object), *reader_, event.object));
    }
    return shared;
  }

  EventStream events_;
  ObjectReader<T>* reader_;
};

/// What a list does with an object that cannot be decoded.
enum class Unreadable : std::uint8_t {
  kFail,  ///< the list fails: for who would take what it cannot see of the object for absent
  kMark,  ///< the object comes as its metadata, marked
};

/// An error of reading an item of a list, with the name of the object, if that can be read.
template <typename T>
Result<std::shared_ptr<const T>> NamedByMetadata(Result<std::shared_ptr<const T>> read,
                                                 const api::ListReader::Item& item) {
  if (read || read.error().code() != ErrorCode::kMalformed) return read;
  const auto metadata = DecodeMetadata(item);
  if (!metadata) return read;
  return std::unexpected(
      read.error().Wrap(api::ObjectKey{metadata->namespace_, metadata->name}.ToString()));
}

/// The part of a list that is the same for all kinds.
Result<meta::v1::ListMeta> ReadList(
    RestClient& rest, const RestRequest& request,
    const std::function<Result<>(const api::ListReader::Item&)>& each);

/// Lists and watches one resource. T is a generated kind, a view of one, PartialObjectMetadata of
/// any kind, or api::Json. One thread at a time.
template <typename T>
class ResourceReader {
 public:
  ResourceReader(RestClient& rest, Resource resource, Accept accept = {})
      : rest_(rest), requests_(std::move(resource)), accept_(std::move(accept)) {
    if (!accept_.object.empty()) return;
    accept_.object = accept_.list =
        std::string(ObjectReader<T>::JsonOnly() ? kJsonType : kProtobufType);
  }

  using Each = std::function<Result<>(std::shared_ptr<const T>)>;

  /// Calls `each` with the objects of a namespace, or of all if it is empty, while they arrive. An
  /// error, its own too, ends the list: what came before it is then not to be relied on. So does a
  /// request to stop, with kCancelled.
  Result<meta::v1::ListMeta> List(const std::string& namespace_,
                                  const meta::v1::ListOptions& options, std::stop_token stop,
                                  const Each& each, Unreadable unreadable = Unreadable::kFail) {
    return ReadList(rest_, ListRequest(namespace_, options, std::move(stop)),
                    [&](const api::ListReader::Item& item) -> Result<> {
                      auto read = reader_.ReadItem(item, requests_.resource());
                      FLYBALL_TRY(auto object,
                                  unreadable == Unreadable::kMark
                                      ? KeptUnreadable<T>(std::move(read), reader_, item)
                                      : NamedByMetadata(std::move(read), item));
                      return each(std::move(object));
                    });
  }

  /// The same, but reads of each object its metadata alone. Any thread.
  Result<meta::v1::ListMeta> ListMetadata(const std::string& namespace_,
                                          const meta::v1::ListOptions& options,
                                          std::stop_token stop,
                                          std::vector<meta::v1::ObjectMeta>& objects) const {
    return ReadList(rest_, ListRequest(namespace_, options, std::move(stop)),
                    [&](const api::ListReader::Item& item) -> Result<> {
                      FLYBALL_TRY(objects.emplace_back(), DecodeMetadata(item));
                      return {};
                    });
  }

  /// Must not outlive this. A request to stop ends it with kCancelled. Changes may come a second
  /// late, many at once, where that is all right (`allow_batching`).
  Result<SharedWatch<T>> Watch(const std::string& namespace_, meta::v1::ListOptions options,
                               std::stop_token stop, bool allow_batching = false) {
    RestRequest request = requests_.Make("watch", "GET", {namespace_, ""});
    request.stop = std::move(stop);
    request.allow_batching = allow_batching;
    options.watch = true;
    request.query = QueryOf(options);
    FLYBALL_TRY(auto events, OpenWatch(rest_, std::move(request), accept_.object));
    return SharedWatch<T>(std::move(events), reader_);
  }

  const Resource& resource() const { return requests_.resource(); }

 private:
  RestRequest ListRequest(const std::string& namespace_, const meta::v1::ListOptions& options,
                          std::stop_token stop) const {
    RestRequest request = requests_.Make("list", "GET", {namespace_, ""});
    request.stop = std::move(stop);
    request.query = QueryOf(options);
    request.accept = accept_.list;
    return request;
  }

  RestClient& rest_;
  ResourceRequests requests_;
  Accept accept_;
  ObjectReader<T> reader_;
};

}  // namespace flyball::client
