#include "flyball/controllers/volume_binder/own_writes.h"

#include "flyball/api/resource_version.h"

namespace flyball::controllers::volume_binder {

void OwnWrites::Wrote(const std::string& volume, const std::string& resource_version) {
  const MutexLock lock(mutex_);
  versions_[volume] = resource_version;
}

bool OwnWrites::IsOutdated(const PersistentVolume& cached) {
  const MutexLock lock(mutex_);
  const auto written = versions_.find(cached.metadata.name);
  if (written == versions_.end()) return false;
  const auto order = api::CompareResourceVersions(cached.metadata.resourceVersion, written->second);
  // What cannot be compared never blocks.
  if (order && *order < 0) return true;
  versions_.erase(written);
  return false;
}

void OwnWrites::Forget(const std::string& volume) {
  const MutexLock lock(mutex_);
  versions_.erase(volume);
}

}  // namespace flyball::controllers::volume_binder
