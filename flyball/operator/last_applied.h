#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "flyball/api/meta/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/base/mutex.h"
#include "flyball/base/result.h"

namespace flyball {

/// What to do about an object that an owner wants to be so.
enum class ApplyStep : std::uint8_t {
  kNothing,
  kCompare,   ///< look whether the object still is as it was wanted
  kCreate,    ///< send it, and give way to others who have made it meanwhile
  kTakeBack,  ///< send it, and take the fields back that others have changed
};

/// The last apply of an object, and the version that it led to.
struct LastApplied {
  std::uint64_t fingerprint = 0;
  /// The object's version that is known to be as good as it gets: what the server made of what was
  /// applied, even if it is not quite that, as where a webhook has another opinion.
  std::string settled;
};

/// Decides on what is known without looking at the object itself. `existing` is the metadata of
/// what the cache has, null if nothing; `owner` the uid whose it ought to be. What is another's, or
/// nobody's, is kAlreadyExists: it is not overwritten.
Result<ApplyStep> DecideApply(const meta::v1::ObjectMeta* existing, std::string_view owner,
                              std::uint64_t desired, const std::optional<LastApplied>& last);

/// What was applied, by the key of who wanted it and the name of what it is. Kept in memory only,
/// so that nothing of ours stands in people's objects: after a start each object is applied once,
/// and the server finds that nothing changes. Without it, a field that is wanted no longer could
/// not be told from one that somebody else has set.
///
/// Any thread.
class LastAppliedCache {
 public:
  std::optional<LastApplied> Find(const api::ObjectKey& owner, const std::string& what) const;
  void Remember(const api::ObjectKey& owner, const std::string& what, LastApplied last_applied);
  void Forget(const api::ObjectKey& owner);
  std::size_t owners() const;

 private:
  mutable Mutex mutex_;
  std::unordered_map<api::ObjectKey, std::map<std::string, LastApplied>> last_applied_
      FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball
