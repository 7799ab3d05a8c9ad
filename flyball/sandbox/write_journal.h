#pragma once

#include <memory>
#include <string>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/transport/transport.h"

namespace flyball::sandbox {

/// Keeps a line of every write that a server grants, for tests to look at. It stands right before
/// the server: behind faults, it knows of writes whose answers get lost too. Any thread.
class WriteJournal final : public transport::Transport {
 public:
  /// What it stands before must outlive it.
  explicit WriteJournal(transport::Transport& next) : next_(next) {}

  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override;

  /// In their order: "create pods default/web", "patch pods/status default/web", "create nodes a".
  std::vector<std::string> lines() const { return lines_->Get(); }

 private:
  class Reader;

  /// Shared with answers that are on their way.
  class Lines {
   public:
    void Add(std::string line);
    std::vector<std::string> Get() const;

   private:
    mutable Mutex mutex_;
    std::vector<std::string> lines_ FLYBALL_GUARDED_BY(mutex_);
  };

  transport::Transport& next_;
  const std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
};

}  // namespace flyball::sandbox
