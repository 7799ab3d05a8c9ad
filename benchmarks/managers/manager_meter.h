#pragma once

#include <map>
#include <set>
#include <string>

#include "flyball/base/clock.h"
#include "tests/cluster/audit_trail.h"
#include "tests/cluster/manager_binary.h"
#include "tests/cluster/process_usage.h"
#include "tests/scripted/proxy.h"

namespace flyball::bench {

/// What a manager took for a piece of work.
struct Cost {
  double wall_seconds = 0;
  double cpu_seconds = 0;
  double resident_mb = 0;                    ///< at the end
  double peak_mb = 0;                        ///< meanwhile
  double received_mb = 0;                    ///< from the API server, as it came over the wire
  std::map<std::string, int> requests = {};  ///< by verb
  int streams = 0;                           ///< watches that are open at the end

  int AllRequests() const;
};

/// Measures a manager from outside, in the same way whichever it is: the kernel knows what it uses,
/// the API server's audit log what it asks for, and the proxy on its way there what it receives.
/// One thread.
class ManagerMeter {
 public:
  ManagerMeter(Clock& clock, const cluster::RealControlPlane& plane, const scripted::Proxy& proxy)
      : clock_(clock), proxy_(proxy), audit_(plane.audit_log()) {}

  /// Reads what has been asked for by now, of which there may be much: before a process starts that
  /// is to be followed.
  void CatchUp();
  /// Another process, of which everything counts from its first instruction on.
  void Follow(pid_t process);
  void Begin();
  /// What it took since Begin(). What it does in the time that follows the work counts as well: a
  /// manager that is done has still to hear of what came of it.
  Cost End();

 private:
  void CountRequests(Cost& cost);

  Clock& clock_;
  const scripted::Proxy& proxy_;
  cluster::AuditLog audit_;
  pid_t process_ = 0;
  std::set<std::string> streams_;  // those of this process that are open, by audit id

  // When it began.
  SteadyTime begin_;
  double cpu_seconds_ = 0;
  std::uint64_t received_ = 0;
};

}  // namespace flyball::bench
