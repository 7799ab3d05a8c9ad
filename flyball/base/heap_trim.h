#pragma once

#include <chrono>

#include "flyball/base/timers.h"

/// Keeps the resident memory of a process with many threads small: most are idle, some have much to
/// do now and then, and the C library's heap would keep more than the objects take.
namespace flyball {

/// One heap for all threads. Each would else have its own, and keep in it what it once needed; what
/// they wait for is the network, not each other. Before there are threads.
void ShareOneHeap();

/// Lets go of the pages of code that only the start needed, of the program and of its libraries.
/// What is used again comes back from the system's cache.
void ForgetUnusedCode();

/// Gives memory that is free back to the system, now and then, and forgets unused code once, when
/// the start is over. How much that is cannot be told
/// before it has looked, and it looks at all of the heap: so the longer that takes, the more seldom
/// it is done.
class HeapTrimmer {
 public:
  static constexpr std::chrono::nanoseconds kInterval = std::chrono::seconds(5);
  /// The part of the time that it may take.
  static constexpr int kPart = 1000;

  explicit HeapTrimmer(Timers& timers);

 private:
  void Trim();

  Clock& clock_;
  Timer timer_;
  bool started_ = false;
};

}  // namespace flyball
