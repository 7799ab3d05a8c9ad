#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"
#include "flyball/sandbox/response_encoder.h"
#include "flyball/sandbox/storage/storage.h"
#include "flyball/sandbox/store_reads.h"
#include "flyball/sandbox/watch_fanout.h"
#include "flyball/transport/transport.h"

namespace flyball::sandbox {

/// One watch: changes go from the history to a client as it takes them. Nothing is kept for a slow
/// one but its place; one that is too slow for the history is told so, and the watch ends.
///
/// Any thread. It subscribes to a WatchFanout whenever there is something to send.
class WatchStream final : public transport::Exchange,
                          public WatchFanout::Subscriber,
                          public std::enable_shared_from_this<WatchStream> {
 public:
  struct Deps {
    Clock& clock;
    Timers& timers;
    Storage& storage;
    std::shared_ptr<WatchFanout> fanout;
  };
  struct Options {
    ResponseEncoder encoder;
    Selection selection;
    std::vector<RecordPtr> initial = {};  ///< what is there, to be shown first
    bool mark_initial_end = false;
    bool bookmarks = false;
    std::optional<SteadyTime> end;
  };
  /// Sends the answer's head and everything after it to `handler`.
  static std::shared_ptr<WatchStream> Start(const Deps& deps, const std::string& collection,
                                            const std::string& namespace_, Revision since,
                                            Options options,
                                            std::shared_ptr<transport::ResponseHandler> handler);

  WatchStream(const Deps& deps, Options options,
              std::shared_ptr<transport::ResponseHandler> handler);

  void Cancel() override;
  void Consumed(std::size_t bytes) override;
  /// The server goes away.
  void End(Result<> how);
  /// What it watches is not served any more: it ends when all has been sent.
  void EndWhenSent();
  const Resource& resource() const { return options_.encoder.resource(); }
  /// Returns when the client has been told of the end.
  void WaitUntilOver();

 private:
  void Wake();
  void OnTimer();
  bool SendPart(WatchFrames& frames) override;
  void OnDropped() override;
  /// Sends some of what there is, as far as the client takes it. False if nothing was to be done.
  bool SendSome(WatchFrames& frames);
  bool SendInitial(WatchFrames& frames);
  bool SendChanges(WatchFrames& frames);
  /// What the client sees of it is added to `out`.
  void AppendChange(const Change& change, WatchFrames& frames, std::string& out);
  void AppendEvent(std::string_view type, const RecordPtr& record, WatchFrames& frames,
                   std::string& out);
  bool Send(const std::string& frame);
  void ArmTimer();
  void Finish(Result<> how);

  Clock& clock_;
  const std::shared_ptr<WatchFanout> fanout_;
  const Options options_;
  // Constant until the end, when it is let go: it may hold this.
  std::shared_ptr<transport::ResponseHandler> handler_;
  std::unique_ptr<Storage::Follower> follower_;  // constant once started

  // Of who is sending.
  std::size_t initial_sent_ = 0;
  Revision last_bookmark_ = 0;
  bool event_sent_ = false;

  Mutex mutex_;
  CondVar over_;
  bool running_ FLYBALL_GUARDED_BY(mutex_) = false;  // it is sending, or waits to
  bool woken_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool end_due_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool end_when_sent_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool bookmark_due_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::optional<Result<>> ending_ FLYBALL_GUARDED_BY(mutex_);
  bool ended_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::size_t unread_ FLYBALL_GUARDED_BY(mutex_) = 0;
  SteadyTime next_bookmark_ FLYBALL_GUARDED_BY(mutex_);

  Timer timer_;  // last, as it calls this
};

}  // namespace flyball::sandbox
