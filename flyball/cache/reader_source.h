#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "flyball/cache/object_accessor.h"
#include "flyball/cache/object_source.h"
#include "flyball/client/resource_reader.h"

namespace flyball::cache {

/// A collection on an API server, through a client.
template <typename T>
class ReaderSource final : public ObjectSource {
 public:
  /// Of one namespace, or of all if it is empty.
  ReaderSource(client::ResourceReader<T> reader, std::string in_namespace,
               bool allow_batching = false)
      : reader_(std::move(reader)),
        namespace_(std::move(in_namespace)),
        allow_batching_(allow_batching) {}

  const ObjectAccessor& accessor() const override { return AccessorFor<T>::Get(); }

  Result<meta::v1::ListMeta> List(const meta::v1::ListOptions& options, std::stop_token stop,
                                  const std::function<void(Object)>& each) override {
    return reader_.List(
        namespace_, options, std::move(stop),
        [&](auto object) -> Result<> {
          each(std::move(object));
          return {};
        },
        client::Unreadable::kMark);
  }

  Result<std::unique_ptr<EventSource>> Watch(const meta::v1::ListOptions& options,
                                             std::stop_token stop) override {
    FLYBALL_TRY(auto watch, reader_.Watch(namespace_, options, std::move(stop), allow_batching_));
    return std::make_unique<Events>(std::move(watch));
  }

  Result<Snapshot> Ask(const std::string& in_namespace, const meta::v1::ListOptions& options,
                       std::stop_token stop) const override {
    Snapshot snapshot;
    FLYBALL_TRY(auto metadata, reader_.ListMetadata(namespace_.empty() ? in_namespace : namespace_,
                                                    options, std::move(stop), snapshot.objects));
    snapshot.resource_version = std::move(metadata.resourceVersion);
    return snapshot;
  }

 private:
  class Events final : public EventSource {
   public:
    explicit Events(client::SharedWatch<T> watch) : watch_(std::move(watch)) {}

    Result<std::optional<ObjectEvent>> TryNext() override {
      FLYBALL_TRY(auto event, watch_.TryNext());
      if (!event) return std::nullopt;
      return ObjectEvent{event->type, std::move(event->object), std::move(event->resource_version),
                         event->initial_events_end};
    }

    bool ended() const override { return watch_.ended(); }
    std::size_t NextSize() override { return watch_.NextSize(); }
    void OnReadable(std::function<void()> readable) override {
      watch_.OnReadable(std::move(readable));
    }

   private:
    client::SharedWatch<T> watch_;
  };

  client::ResourceReader<T> reader_;
  const std::string namespace_;
  const bool allow_batching_;
};

}  // namespace flyball::cache
