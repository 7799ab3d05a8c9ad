#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/base/mutex.h"
#include "flyball/cache/object_accessor.h"
#include "flyball/cache/object_source.h"

namespace flyball::cache {

/// A collection of config maps in memory that behaves as one on an API server does: it has
/// versions, a history of changes that a watch begins in, and, as a test wishes, failures.
/// Any thread.
class FakeCollection {
 public:
  using ConfigMap = core::v1::ConfigMap;

  /// Creates or replaces, and says at which version. `uid` makes it another object.
  std::string Put(const std::string& name, const std::string& value, std::string uid = "u") {
    auto map = std::make_shared<ConfigMap>();
    map->metadata.namespace_ = "default";
    map->metadata.name = name;
    map->metadata.uid = std::move(uid);
    map->data["value"] = value;
    {
      MutexLock lock(mutex_);
      map->metadata.resourceVersion = std::to_string(++version_);
      const bool is_new = objects_.insert_or_assign(name, map).second;
      Record(is_new ? client::EventType::kAdded : client::EventType::kModified, map);
    }
    Announce();
    return map->metadata.resourceVersion;
  }

  /// `last_value`: the delete event has this one, which nobody has seen before.
  void Delete(const std::string& name, const std::optional<std::string>& last_value = {}) {
    {
      MutexLock lock(mutex_);
      auto map = std::make_shared<ConfigMap>(*objects_.at(name));
      if (last_value) map->data["value"] = *last_value;
      objects_.erase(name);
      map->metadata.resourceVersion = std::to_string(++version_);
      Record(client::EventType::kDeleted, map);
    }
    Announce();
  }

  /// Ends all watches: as the server does from time to time, or with an error.
  void EndWatches(const Result<>& how = {}) {
    std::vector<std::function<void()>> readable;
    {
      MutexLock lock(mutex_);
      for (const auto& stream : streams_) stream->end = how;
      readable = Readable();
      streams_.clear();
    }
    for (const auto& tell : readable) tell();
  }

  /// From here on watches stand still, until ReleaseEvents().
  void HoldEvents() {
    MutexLock lock(mutex_);
    holds_events_ = true;
  }
  void ReleaseEvents() {
    {
      MutexLock lock(mutex_);
      holds_events_ = false;
      for (const ObjectEvent& event : std::exchange(held_, {})) Send(event);
    }
    Announce();
  }
  /// Ask() takes so long.
  void DelayAnswers(Clock& clock, std::chrono::nanoseconds delay) {
    MutexLock lock(mutex_);
    clock_ = &clock;
    answer_delay_ = delay;
  }

  /// Watches from versions up to now are refused with kGone.
  void Compact() {
    MutexLock lock(mutex_);
    history_.clear();
    oldest_ = version_;
  }

  void SendBookmark() {
    {
      MutexLock lock(mutex_);
      Send({.type = client::EventType::kBookmark, .resource_version = std::to_string(version_)});
    }
    Announce();
  }

  // What the next requests are answered with, as long as there is something here.
  void FailNext(Error error) {
    MutexLock lock(mutex_);
    failures_.push_back(std::move(error));
  }
  void RefuseStreams() {
    MutexLock lock(mutex_);
    streams_refused_ = true;
  }
  void LimitPages(std::size_t size) {
    MutexLock lock(mutex_);
    page_size_ = size;
  }

  /// The names and values there are.
  std::map<std::string, std::string> contents() const {
    MutexLock lock(mutex_);
    std::map<std::string, std::string> all;
    for (const auto& [name, map] : objects_) all[name] = *map->data.find("value");
    return all;
  }
  /// What was asked, in order: "list rv=5 NotOlderThan limit=500", "watch rv=7", "stream rv=".
  std::vector<std::string> requests() const {
    MutexLock lock(mutex_);
    return requests_;
  }
  std::size_t watches() const {
    MutexLock lock(mutex_);
    return streams_.size();
  }

  std::unique_ptr<ObjectSource> MakeSource() { return std::make_unique<Source>(*this); }

 private:
  struct Stream {
    std::deque<ObjectEvent> unread;
    std::optional<Result<>> end;
    std::function<void()> readable = [] {};
  };

  class Events final : public EventSource {
   public:
    Events(FakeCollection& collection, std::shared_ptr<Stream> stream, const std::stop_token& stop)
        : collection_(collection), stream_(std::move(stream)), on_stop_(stop, [this] {
            // Who asks for a stop looks again by itself.
            MutexLock lock(collection_.mutex_);
            stream_->end = Fail(ErrorCode::kCancelled, "request cancelled");
          }) {}
    ~Events() override {
      MutexLock lock(collection_.mutex_);
      std::erase(collection_.streams_, stream_);
    }

    Result<std::optional<ObjectEvent>> TryNext() override {
      MutexLock lock(collection_.mutex_);
      if (!stream_->unread.empty()) {
        ObjectEvent event = std::move(stream_->unread.front());
        stream_->unread.pop_front();
        return event;
      }
      if (!stream_->end) return std::nullopt;
      FLYBALL_TRY(*stream_->end);
      ended_ = true;
      return std::nullopt;
    }
    bool ended() const override { return ended_; }
    std::size_t NextSize() override {
      MutexLock lock(collection_.mutex_);
      if (stream_->unread.empty() || !stream_->unread.front().object) return 0;
      // Its value stands for the whole of it.
      const auto& map = *static_cast<const ConfigMap*>(stream_->unread.front().object.get());
      return map.metadata.name.size() + map.data.find("value")->size();
    }
    void OnReadable(std::function<void()> readable) override {
      {
        MutexLock lock(collection_.mutex_);
        stream_->readable = readable;
      }
      readable();
    }

   private:
    FakeCollection& collection_;
    const std::shared_ptr<Stream> stream_;
    bool ended_ = false;
    const std::stop_callback<std::function<void()>> on_stop_;
  };

  class Source final : public ObjectSource {
   public:
    explicit Source(FakeCollection& collection) : collection_(collection) {}
    const ObjectAccessor& accessor() const override { return AccessorFor<ConfigMap>::Get(); }
    Result<meta::v1::ListMeta> List(const meta::v1::ListOptions& options, std::stop_token,
                                    const std::function<void(Object)>& each) override {
      return collection_.List(options, each);
    }
    Result<std::unique_ptr<EventSource>> Watch(const meta::v1::ListOptions& options,
                                               std::stop_token stop) override {
      FLYBALL_TRY(auto stream, collection_.Open(options));
      return std::make_unique<Events>(collection_, std::move(stream), stop);
    }
    Result<Snapshot> Ask(const std::string&, const meta::v1::ListOptions& options,
                         std::stop_token stop) const override {
      if (!collection_.TakeTime(std::move(stop))) {
        return Fail(ErrorCode::kCancelled, "request cancelled");
      }
      return collection_.Ask(options);
    }

   private:
    FakeCollection& collection_;
  };

  void Record(client::EventType type, const std::shared_ptr<const ConfigMap>& map)
      FLYBALL_REQUIRES(mutex_) {
    history_.emplace_back(version_, ObjectEvent{.type = type, .object = map});
    Send(history_.back().second);
  }

  void Send(const ObjectEvent& event) FLYBALL_REQUIRES(mutex_) {
    if (holds_events_) return held_.push_back(event);
    for (const auto& stream : streams_) stream->unread.push_back(event);
  }

  /// Without the lock, since whoever is told reads at once.
  void Announce() {
    std::vector<std::function<void()>> readable;
    {
      MutexLock lock(mutex_);
      readable = Readable();
    }
    for (const auto& tell : readable) tell();
  }

  std::vector<std::function<void()>> Readable() const FLYBALL_REQUIRES(mutex_) {
    std::vector<std::function<void()>> readable;
    for (const auto& stream : streams_) readable.push_back(stream->readable);
    return readable;
  }

  Result<> NextFailure() FLYBALL_REQUIRES(mutex_) {
    if (failures_.empty()) return {};
    Error failure = std::move(failures_.front());
    failures_.pop_front();
    return std::unexpected(std::move(failure));
  }

  Result<meta::v1::ListMeta> List(const meta::v1::ListOptions& options,
                                  const std::function<void(Object)>& each) {
    MutexLock lock(mutex_);
    std::string asked = "list rv=" + options.resourceVersion;
    if (!options.resourceVersionMatch.empty()) asked += " " + options.resourceVersionMatch;
    if (options.limit > 0) asked += " limit=" + std::to_string(options.limit);
    if (!options.continue_.empty()) asked += " continue=" + options.continue_;
    requests_.push_back(std::move(asked));
    FLYBALL_TRY(NextFailure());
    meta::v1::ListMeta metadata;
    metadata.resourceVersion = std::to_string(version_);
    std::size_t told = 0;
    for (auto at = objects_.upper_bound(options.continue_); at != objects_.end(); ++at) {
      if (page_size_ > 0 && options.limit > 0 && told++ == page_size_) return metadata;
      each(at->second);
      metadata.continue_ = std::next(at) == objects_.end() ? "" : at->first;
    }
    return metadata;
  }

  /// False if a stop was asked for meanwhile.
  bool TakeTime(std::stop_token stop) {
    Clock* clock = nullptr;
    std::chrono::nanoseconds delay = {};
    {
      MutexLock lock(mutex_);
      clock = clock_;
      delay = answer_delay_;
    }
    return clock == nullptr || clock->SleepFor(delay, std::move(stop));
  }

  Result<Snapshot> Ask(const meta::v1::ListOptions& options) {
    MutexLock lock(mutex_);
    requests_.push_back("ask " + options.fieldSelector);
    FLYBALL_TRY(NextFailure());
    Snapshot snapshot{.resource_version = std::to_string(version_)};
    for (const auto& [name, map] : objects_) {
      if (options.fieldSelector.empty() || options.fieldSelector == "metadata.name=" + name) {
        snapshot.objects.push_back(map->metadata);
      }
    }
    return snapshot;
  }

  Result<std::shared_ptr<Stream>> Open(const meta::v1::ListOptions& options) {
    MutexLock lock(mutex_);
    const bool streamed = options.sendInitialEvents.value_or(false);
    requests_.push_back((streamed ? "stream rv=" : "watch rv=") + options.resourceVersion);
    FLYBALL_TRY(NextFailure());
    if (streamed && streams_refused_) return Fail(ErrorCode::kInvalid, "no streams here");
    auto stream = std::make_shared<Stream>();
    if (streamed) {
      for (const auto& [name, map] : objects_) stream->unread.push_back({.object = map});
      stream->unread.push_back({.type = client::EventType::kBookmark,
                                .resource_version = std::to_string(version_),
                                .initial_events_end = true});
    } else {
      const std::uint64_t from = std::stoull(options.resourceVersion);
      if (from < oldest_) return Fail(ErrorCode::kGone, "too old");
      for (const auto& [version, event] : history_) {
        if (version > from) stream->unread.push_back(event);
      }
    }
    streams_.push_back(stream);
    return stream;
  }

  mutable Mutex mutex_;
  std::uint64_t version_ FLYBALL_GUARDED_BY(mutex_) = 100;
  std::uint64_t oldest_ FLYBALL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::shared_ptr<const ConfigMap>> objects_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::pair<std::uint64_t, ObjectEvent>> history_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Stream>> streams_ FLYBALL_GUARDED_BY(mutex_);
  std::deque<Error> failures_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::string> requests_ FLYBALL_GUARDED_BY(mutex_);
  std::size_t page_size_ FLYBALL_GUARDED_BY(mutex_) = 0;
  bool streams_refused_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool holds_events_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::vector<ObjectEvent> held_ FLYBALL_GUARDED_BY(mutex_);
  Clock* clock_ FLYBALL_GUARDED_BY(mutex_) = nullptr;
  std::chrono::nanoseconds answer_delay_ FLYBALL_GUARDED_BY(mutex_) = {};
};

}  // namespace flyball::cache
