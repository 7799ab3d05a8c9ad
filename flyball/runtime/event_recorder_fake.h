#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/runtime/event_recorder.h"

namespace flyball::runtime {

/// Keeps what is recorded, for a test to look at. Any thread.
class FakeEventRecorder final : public EventRecorder {
 public:
  void Record(Occurrence occurrence) override {
    const MutexLock lock(mutex_);
    recorded_.push_back(std::move(occurrence));
  }

  std::vector<Occurrence> recorded() const {
    const MutexLock lock(mutex_);
    return recorded_;
  }
  /// Each as "Warning FailedCreate: the message".
  std::vector<std::string> lines() const {
    const MutexLock lock(mutex_);
    std::vector<std::string> lines;
    for (const Occurrence& event : recorded_) {
      lines.push_back(std::string(ToString(event.type)) + " " + event.reason + ": " +
                      event.message);
    }
    return lines;
  }

  /// For a controller: what it records, whatever it calls itself, is kept here.
  MakeEventRecorder Maker() {
    return [this](const std::string&) { return std::make_unique<Forwarding>(*this); };
  }

 private:
  class Forwarding final : public EventRecorder {
   public:
    explicit Forwarding(FakeEventRecorder& keeper) : keeper_(keeper) {}
    void Record(Occurrence occurrence) override { keeper_.Record(std::move(occurrence)); }

   private:
    FakeEventRecorder& keeper_;
  };

  mutable Mutex mutex_;
  std::vector<Occurrence> recorded_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::runtime
