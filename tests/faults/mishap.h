#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/base/mutex.h"
#include "flyball/sandbox/faults.h"
#include "tests/faults/point.h"

namespace flyball::faults {

/// The one thing that goes wrong in a run. It counts what passes on a manager's line, so that a run
/// in which nothing goes wrong says how many points there are; in another it does at its point what
/// is to be done, and sees to what follows.
///
/// For tasks of a DeterministicExecutor.
class Mishap {
 public:
  /// The managers of a run. Each is named by its line.
  class Managers {
   public:
    virtual ~Managers() = default;
    /// Follows a manager that was killed, or has ended: returns when there is another, at work.
    virtual void Replace(sandbox::Faults& line) = 0;
    /// Ends one in order, and returns when there is another, at work.
    virtual void Restart(sandbox::Faults& line) = 0;
    /// Returns when another leads in place of one that stands still.
    virtual void Succeed(sandbox::Faults& line) = 0;
    /// Returns when one that has lost its lease has ended by itself, as it must, and winds up the
    /// rest of it.
    virtual void AwaitEnd(sandbox::Faults& line) = 0;
    virtual DeterministicExecutor::Process& ProcessOf(sandbox::Faults& line) = 0;
    virtual void DeleteLease() = 0;
  };
  struct Deps {
    Executor& executor;
    Managers& managers;
  };
  Mishap(Deps deps, std::optional<Point> point) : deps_(std::move(deps)), point_(point) {}

  /// Looks at this line too, which must not end before this does.
  void LookAt(sandbox::Faults& line);
  /// Counts from here on.
  void Begin();
  /// For a task of its own: waits for the point and sees to what follows, until the end.
  void KeepWatch();
  /// If the point has not come by now, it never will.
  void End();

  bool met() const;
  /// The point has come, and not all that follows from it is over.
  bool disturbs() const;

  // What there was: points are counted in these.
  std::vector<std::string> writes() const;
  std::vector<std::string> events() const;

 private:
  /// Notes a request or an event, and says whether this is the point.
  bool Note(const sandbox::Asked& asked, bool write, sandbox::Faults& line);
  /// With kRefuseOn: whether the time has come, and is not over.
  bool RefusesAll() const;
  /// Sees to what follows from the point, until the fault is over.
  void PlayOut(sandbox::Faults& line);
  /// How long it takes until nothing more comes of it.
  std::chrono::nanoseconds Aftermath() const;
  void RefuseOn();
  void PauseProcess(sandbox::Faults& line);
  void ShiftClock(sandbox::Faults& line, std::chrono::nanoseconds by);
  void HoldWatch(sandbox::Faults& line);
  /// Returns when it has written nothing for a while.
  void AwaitQuiet() const;

  const Deps deps_;
  const std::optional<Point> point_;

  mutable Mutex mutex_;
  CondVar changed_;
  bool begun_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool ended_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool over_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool refuses_all_ FLYBALL_GUARDED_BY(mutex_) = false;
  sandbox::Faults* line_ FLYBALL_GUARDED_BY(mutex_) = nullptr;  // on which the point came
  std::vector<std::pair<sandbox::Faults*, sandbox::Fault>> holds_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::string> held_ FLYBALL_GUARDED_BY(mutex_);  // the path of the watch
  std::vector<std::string> writes_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::string> events_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::faults
