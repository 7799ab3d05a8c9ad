#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/base/result.h"
#include "flyball/endpoints/http_handler.h"
#include "flyball/endpoints/sli_metrics.h"

namespace flyball::endpoints {

/// Whether the process is well: named checks, which all have to pass. A liveness probe asks, so a
/// check that fails for long has the process ended.
///
/// Any thread may add checks at any time; those that are made meanwhile are the ones before. A
/// check runs on the thread that asks, several at once perhaps, and must not take long.
class HealthChecks {
 public:
  using Check = std::function<Result<>()>;

  struct Deps {
    SliMetrics* slis = nullptr;
    Logger log = {};
  };
  explicit HealthChecks(Deps deps) : deps_(std::move(deps)) {}

  void Add(std::string name, Check check);

  /// The page of all checks, in the order in which they were added: "ok" or, where one fails or
  /// `?verbose` asks for it, a line each. `?exclude=name` leaves one out. The page is open to all:
  /// why a check failed, only the log says.
  transport::Response Answer(const Call& call) const;

  /// The pages of single checks, /healthz/<name>, which say why. What has no such check is 404.
  // DIVERGES: upstream has these in its API servers, and has forgotten them in its managers.
  transport::Response AnswerOne(const Call& call) const;

 private:
  struct Named {
    std::string name;
    Check check;
  };
  /// Copies of a list that does not change: no lock is held while checks run.
  using List = std::vector<Named>;

  std::shared_ptr<const List> Current() const;

  const Deps deps_;
  mutable Mutex mutex_;
  std::shared_ptr<const List> checks_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::endpoints
