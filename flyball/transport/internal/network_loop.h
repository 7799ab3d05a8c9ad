#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"
#include "flyball/transport/internal/deadlines.h"

namespace flyball::transport {

/// What the network thread runs.
class NetworkLoop {
 public:
  void Run() {
    context.run();
    MutexLock lock(mutex_);
    ended_ = true;
    changed_.NotifyAll();
  }

  void StopAndWait(Clock& clock) {
    boost::asio::post(context, [this] { deadlines.LetGo(); });
    guard_.reset();
    MutexLock lock(mutex_);
    clock.Wait(lock, changed_, [this]() FLYBALL_REQUIRES(mutex_) { return ended_; });
  }

  boost::asio::io_context context{1};
  Deadlines deadlines{context};

 private:
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{
      context.get_executor()};
  Mutex mutex_;
  CondVar changed_;
  bool ended_ FLYBALL_GUARDED_BY(mutex_) = false;
};

}  // namespace flyball::transport
