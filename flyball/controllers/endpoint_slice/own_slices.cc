#include "flyball/controllers/endpoint_slice/own_slices.h"

#include <functional>

namespace flyball::controllers::endpoint_slice {
namespace {

std::uint64_t HashOf(std::string_view uid) { return std::hash<std::string_view>()(uid); }

}  // namespace

bool OwnSlices::IsNews(const Slice& slice) const {
  const MutexLock lock(mutex_);
  const auto known = generations_.find(HashOf(slice.metadata.uid));
  return known == generations_.end() || slice.metadata.generation > known->second;
}

bool OwnSlices::IsNewsThatItIsGone(const Slice& slice) {
  const MutexLock lock(mutex_);
  const auto known = generations_.find(HashOf(slice.metadata.uid));
  // DIVERGES: upstream does not look after a slice that it has not written since it was started,
  // so that a service may be without endpoints until one of its pods changes.
  if (known == generations_.end()) return true;
  const bool expected = known->second == kGone;
  generations_.erase(known);
  return !expected;
}

void OwnSlices::Set(std::string_view uid, std::int64_t generation) {
  const MutexLock lock(mutex_);
  generations_[HashOf(uid)] = generation;
}

}  // namespace flyball::controllers::endpoint_slice
