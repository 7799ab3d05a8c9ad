#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "flyball/base/executor.h"
#include "flyball/transport/transport.h"

// What is between a client and a server that is well: faults, and other people's doings.
namespace flyball::cluster {

/// Watches get everything so much later; all else is answered at once.
class LateWatchTransport final : public transport::Transport {
 public:
  LateWatchTransport(transport::Transport& next, Executor& executor, std::chrono::nanoseconds delay)
      : next_(next), executor_(executor), delay_(delay) {}
  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override;

 private:
  class LateHandler;

  transport::Transport& next_;
  Executor& executor_;
  const std::chrono::nanoseconds delay_;
};

/// Of requests that change something every so manieth gets no answer, but kIo, once the server has
/// given one: it has acted.
class LostAnswerTransport final : public transport::Transport {
 public:
  LostAnswerTransport(transport::Transport& next, int one_in) : next_(next), one_in_(one_in) {}
  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override;

  int lost() const { return *lost_; }

 private:
  class DeafHandler;

  transport::Transport& next_;
  const int one_in_;
  std::atomic<int> writes_ = 0;
  const std::shared_ptr<std::atomic<int>> lost_ = std::make_shared<std::atomic<int>>(0);
};

/// Calls somebody, who may take their time, before a request is passed on.
class InterruptedTransport final : public transport::Transport {
 public:
  using Interrupt = std::function<void(const transport::Request& request)>;

  InterruptedTransport(transport::Transport& next, Interrupt interrupt)
      : next_(next), interrupt_(std::move(interrupt)) {}
  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override {
    interrupt_(request);
    return next_.Send(std::move(request), std::move(handler));
  }

 private:
  transport::Transport& next_;
  const Interrupt interrupt_;
};

}  // namespace flyball::cluster
