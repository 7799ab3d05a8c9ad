#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flyball/base/executor.h"
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
  struct Deps {
    Executor& executor;
    /// Of a manager that was killed: returns when there is another, at work.
    std::function<void()> replace_manager;
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
  void HoldWatch(sandbox::Faults& line);
  /// Returns when it has written nothing for a while.
  void AwaitQuiet(const sandbox::Faults& line) const;

  const Deps deps_;
  const std::optional<Point> point_;

  mutable Mutex mutex_;
  CondVar changed_;
  bool begun_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool ended_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool over_ FLYBALL_GUARDED_BY(mutex_) = false;
  sandbox::Faults* line_ FLYBALL_GUARDED_BY(mutex_) = nullptr;  // on which the point came
  std::vector<std::pair<sandbox::Faults*, sandbox::Fault>> holds_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::string> held_ FLYBALL_GUARDED_BY(mutex_);  // the path of the watch
  std::vector<std::string> writes_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::string> events_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::faults
