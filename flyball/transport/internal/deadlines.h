#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>

namespace flyball::transport {

/// When calls run out of time. One timer serves them all: nearly every call ends long before its
/// time does, and a timer of its own would cost it more than its headers. On the network thread.
class Deadlines {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Expired = std::move_only_function<void()>;
  using Entry = std::multimap<Time, Expired>::iterator;

  explicit Deadlines(boost::asio::io_context& network) : timer_(network) {}

  /// Calls `expired` after `delay`, unless removed before. It removes itself then.
  Entry Add(std::chrono::nanoseconds delay, Expired expired);
  void Remove(Entry entry);
  /// From now on the timer does not keep the network thread when nobody waits for it.
  void LetGo();

 private:
  void Arm();
  void Expire();

  boost::asio::steady_timer timer_;
  std::multimap<Time, Expired> entries_;
  Time armed_for_ = Time::max();
  bool let_go_ = false;
};

}  // namespace flyball::transport
