#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "flyball/api/discovery/v1.h"
#include "flyball/base/mutex.h"
#include "flyball/base/wrapping.h"

namespace flyball::controllers::endpoint_slice {

/// Which generation of a slice was written here, so that what the watch tells of our own writes
/// does not bring their service back: each service would be looked at twice for each change. What
/// is lost with a manager costs a look.
///
/// Any thread.
class OwnSlices {
 public:
  using Slice = discovery::v1::EndpointSlice;

  // Before a write: the watch may tell of it before the server has answered.
  void WillUpdate(const Slice& slice) {
    Set(slice.metadata.uid, WrappingAdd(slice.metadata.generation, 1));
  }
  void WillDelete(const Slice& slice) { Set(slice.metadata.uid, kGone); }
  // After it.
  void Wrote(std::string_view uid, std::int64_t generation) { Set(uid, generation); }
  void DidNotWrite(const Slice& slice) { Set(slice.metadata.uid, slice.metadata.generation); }

  /// Whether somebody else has changed the slice.
  bool IsNews(const Slice& slice) const;
  /// Whether it was somebody else who deleted it. Nothing is known of it after that.
  bool IsNewsThatItIsGone(const Slice& slice);

 private:
  static constexpr std::int64_t kGone = -1;
  void Set(std::string_view uid, std::int64_t generation);

  mutable Mutex mutex_;
  /// By the hashes of uids, which take a fifth of the room. One that is met by chance is some
  /// service's that is looked at once more, or is not told that others meddle.
  std::unordered_map<std::uint64_t, std::int64_t> generations_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::endpoint_slice
