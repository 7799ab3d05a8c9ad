#pragma once

#include <string>
#include <string_view>

namespace flyball::runtime {

/// A change that somebody is told of, and may add keys to queues for.
struct Cause {
  std::string_view resource;  ///< "replicasets.apps"
  std::string_view namespace_;
  std::string_view name;
  std::string_view what;  ///< "updated"

  /// "pods shop/web-x2 updated".
  std::string ToString() const;
};

/// Who adds a key on this thread while this lives does it for that cause. So handlers need not say
/// why, nor queues be told.
class CauseScope {
 public:
  explicit CauseScope(const Cause& cause);
  ~CauseScope();
  CauseScope(const CauseScope&) = delete;
  CauseScope& operator=(const CauseScope&) = delete;

  /// Null where nothing is being told of.
  static const Cause* Current();

 private:
  const Cause* const outer_;
};

}  // namespace flyball::runtime
