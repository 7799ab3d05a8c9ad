#pragma once

#include <map>
#include <string>

#include "flyball/base/mutex.h"
#include "flyball/controllers/volume_binder/annotations.h"

namespace flyball::controllers::volume_binder {

/// The volumes that were written here, until the cache shows it. The harness holds back the claim
/// that a volume was written for, but other claims look for volumes meanwhile, and would all try to
/// have the one that has just been given away. A mistake here costs a conflict, no more: what is
/// written carries the version that it was decided on.
///
/// Any thread.
class OwnWrites {
 public:
  void Wrote(const std::string& volume, const std::string& resource_version);
  /// Whether this is older than what was written. One that is as new is forgotten.
  bool IsOutdated(const PersistentVolume& cached);
  void Forget(const std::string& volume);

 private:
  Mutex mutex_;
  std::map<std::string, std::string> versions_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::volume_binder
