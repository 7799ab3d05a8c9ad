#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"
#include "flyball/cache/initial_objects.h"
#include "flyball/cache/object_source.h"

namespace flyball::cache {

/// What becomes of a collection, told by a Reflector, by one thread at a time; mostly by the
/// network's, so that nothing here may block.
class ReflectorSink {
 public:
  virtual ~ReflectorSink() = default;
  /// This is all there is, as of a version: what is not among it is gone.
  virtual void OnReplace(std::vector<Object> objects, std::string resource_version) = 0;
  virtual void OnPut(Object object) = 0;
  virtual void OnDelete(Object object) = 0;
  /// Nothing has changed up to this version but what was told.
  virtual void OnProgress(std::string resource_version) = 0;
  /// The collection cannot be followed at the moment; or it can again, without an error.
  virtual void OnState(const std::optional<Error>& problem) = 0;
};

/// Keeps a sink up to date with a collection: reads all of it once, then follows its changes, and
/// picks up where it was when the connection breaks. It reads all again when the server no longer
/// has the changes since (410), never anything older than what it has seen.
///
/// The first read is consistent: a cache of the server's that may be in the past is not asked. It
/// comes as a stream of events where the server has that (WatchList), else in pages.
///
/// Changes are read by the thread that brings them, the network's: another one would have to be
/// woken for each, which costs more than reading it. What blocks or takes long is a task's: asking
/// the server, telling of a whole collection, and an event that is large, which takes long to
/// decode, to index and to handle. The events behind it, and the collection's version, wait for it;
/// those of other collections do not.
class Reflector : public std::enable_shared_from_this<Reflector> {
 public:
  struct Deps {
    Executor& executor;
    Timers& timers;
    /// Between 0 and 1: spreads what many would do at once.
    std::function<double()> random;
    Logger log;
  };
  struct Options {
    std::string name;  ///< of its tasks
    std::string label_selector = {};
    std::string field_selector = {};
    std::int64_t page_size = 500;
    bool watch_list = true;  ///< whether to try it
  };

  Reflector(std::unique_ptr<ObjectSource> source, ReflectorSink& sink, Deps deps, Options options);
  ~Reflector();

  void Start();
  /// Ends it, and returns when the sink is told nothing any more. Not from within the sink.
  void Stop();

  /// An event that is larger is a task's. Most objects take some kilobytes.
  static constexpr std::size_t kLargeEvent = 64 * 1024;

  /// Asks what the server has now of one object, or, without a name, of the first one only, among
  /// those that are followed: a consistent list. Blocks. Any thread.
  Result<Snapshot> Ask(const api::ObjectKey& key, std::stop_token stop) const;

 private:
  enum class Phase : std::uint8_t { kRead, kReadStream, kReplace, kFollow };
  enum class Next : bool { kGoOn, kWait };

  void WakeUp();
  void StartTask();
  /// Takes steps until there is nothing to do. If only quick ones, a task takes the others.
  void Run(bool only_quick);
  /// Whether the next step neither blocks nor takes long.
  bool NextIsQuick();
  /// Whether there is more to look at; else whoever comes next may run.
  bool WasWoken();
  void End();
  Next Step();
  Next Read();
  Next ReadInPages();
  Next OpenInitialStream();
  Next ReadStream();
  Next Replace();
  Next Follow();
  Next OpenWatch();
  Next WatchEnded();
  Next WatchFailed(const Error& error);
  Next ReadFailed(const Error& error);
  Next BackOff();
  void Synced(std::vector<Object> objects, std::string resource_version);
  /// Whether an object has a name. One whose metadata cannot be decoded has none: it is told of in
  /// the log and left out.
  bool HasName(const Object& object) const;
  void Collect(ObjectEvent event);
  void Apply(ObjectEvent event);
  void Attach(std::unique_ptr<EventSource> watch);
  meta::v1::ListOptions Selected() const;
  meta::v1::ListOptions WatchOptions() const;
  Result<meta::v1::ListMeta> ListAll(meta::v1::ListOptions options, std::vector<Object>& objects);

  const std::unique_ptr<ObjectSource> source_;
  ReflectorSink& sink_;
  const Deps deps_;
  const Options options_;
  std::stop_source stop_;

  // Of whoever runs.
  Phase phase_ = Phase::kRead;
  bool watch_list_;
  std::string resource_version_;  // what has been seen
  bool version_unavailable_ = false;
  std::unique_ptr<EventSource> watch_;
  std::optional<InitialObjects> initial_;
  SteadyTime watch_started_;
  bool watch_was_quiet_ = true;  // nothing has come of it
  SteadyTime wait_until_ = SteadyTime::min();
  std::optional<SteadyTime> last_failure_;
  int failures_ = 0;

  Mutex mutex_;
  CondVar changed_;
  bool started_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool running_ FLYBALL_GUARDED_BY(mutex_) = false;  // somebody is at it
  bool woken_ FLYBALL_GUARDED_BY(mutex_) = false;    // there is more for it to look at
  bool ended_ FLYBALL_GUARDED_BY(mutex_) = false;

  Timer timer_;  // ends before what it wakes up
};

}  // namespace flyball::cache
