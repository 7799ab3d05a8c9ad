#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/executor.h"
#include "flyball/base/mutex.h"
#include "flyball/transport/transport.h"

namespace flyball::runtime {

/// An API server in memory, for tests of what runs on the harness: collections of JSON objects with
/// names and versions, which can be created, read, replaced, patched, deleted, listed and watched.
/// Pods can be bound, and go gracefully once they are. Lists and watches are in protobuf for those
/// who ask for it, as views are read. Answers at once; what it sends to watches may be late, and
/// answers may get lost, as a test wishes.
///
/// Stands in until the embedded server is there. Any thread.
class FakeApiServer final : public transport::Transport {
 public:
  struct Options {
    std::chrono::nanoseconds watch_delay = {};
    /// Of a request that changes something: it is done, and the answer is lost.
    std::function<bool()> lose_answer = [] { return false; };
  };
  FakeApiServer(Executor& executor, Options options)
      : executor_(executor), options_(std::move(options)) {}

  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override;

  /// What was changed, in order: "create secrets ns/child-1".
  std::vector<std::string> writes() const;
  /// The objects of a collection.
  std::vector<api::Json> List(const std::string& plural) const;

 private:
  struct Target {
    std::string plural, namespace_, name, subresource;
    std::map<std::string, std::string> query;
    bool protobuf = false;  // as it is to be answered, where that is a list or a watch
  };
  struct Answer {
    int status = 200;
    api::Json body;
  };
  struct Watcher;
  using Key = std::pair<std::string, std::string>;  // namespace, name
  struct Event {
    std::uint64_t version;
    std::string plural;
    std::string type;
    api::Json object;

    /// As a watch shows it.
    std::string Encoded(bool protobuf) const;
  };

  static Target ParseTarget(const transport::Request& request);
  Answer Act(const transport::Request& request, const Target& target) FLYBALL_REQUIRES(mutex_);
  Answer Store(api::Json object, const Target& target, std::string_view verb)
      FLYBALL_REQUIRES(mutex_);
  Answer Patch(const transport::Request& request, const Target& target, const api::Json& object)
      FLYBALL_REQUIRES(mutex_);
  Answer Bind(const transport::Request& request, const Target& target, api::Json pod)
      FLYBALL_REQUIRES(mutex_);
  Answer Delete(const transport::Request& request, const Target& target, api::Json object)
      FLYBALL_REQUIRES(mutex_);
  Answer Remove(const Target& target) FLYBALL_REQUIRES(mutex_);
  Answer ListAll(const Target& target) const FLYBALL_REQUIRES(mutex_);
  void Publish(const std::string& plural, std::string_view type, const api::Json& object)
      FLYBALL_REQUIRES(mutex_);
  std::shared_ptr<transport::Exchange> Watch(
      const Target& target, const std::shared_ptr<transport::ResponseHandler>& handler);
  static Answer Refusal(int status, std::string reason);

  Executor& executor_;
  const Options options_;
  mutable Mutex mutex_;
  std::uint64_t version_ FLYBALL_GUARDED_BY(mutex_) = 100;
  int named_ FLYBALL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::map<Key, api::Json>> collections_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<Event> history_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Watcher>> watchers_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::string> writes_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::runtime
