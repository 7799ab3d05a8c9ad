#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/transport/transport.h"

namespace flyball::serving {

/// Answers requests when and as a test says, from the test's thread.
class HeldAnswers final : public transport::Transport {
 public:
  /// A request that has come.
  class Held final : public transport::Exchange {
   public:
    Held(transport::Request asked, std::shared_ptr<transport::ResponseHandler> answered)
        : request(std::move(asked)), handler(std::move(answered)) {}

    void Cancel() override { cancelled = true; }
    void Consumed(std::size_t bytes) override { consumed += bytes; }

    const transport::Request request;
    const std::shared_ptr<transport::ResponseHandler> handler;
    std::atomic<bool> cancelled = false;
    std::atomic<std::size_t> consumed = 0;
  };

  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override {
    auto held = std::make_shared<Held>(std::move(request), std::move(handler));
    MutexLock lock(mutex_);
    held_.push_back(held);
    return held;
  }

  std::vector<std::shared_ptr<Held>> held() {
    MutexLock lock(mutex_);
    return held_;
  }
  std::size_t size() { return held().size(); }
  std::shared_ptr<Held> last() { return held().back(); }

 private:
  Mutex mutex_;
  std::vector<std::shared_ptr<Held>> held_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::serving
