#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "flyball/api/object_key.h"
#include "flyball/base/mutex.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/claim_protection/plan.h"
#include "flyball/runtime/context.h"

namespace flyball::controllers::claim_protection {

/// What the server says of the pods that keep claims. It is asked for all pods of a namespace, so
/// that one answer is for every claim there that is to go: a namespace that is deleted has many,
/// and as many pods.
///
/// What it said is good for a claim that was known to go, at this very version, before it was
/// asked: no node starts a pod with a claim that is to go, so that whatever came later does not
/// count. And it is good once: who was kept is asked for again.
///
/// Any thread.
class LivePodLister {
 public:
  explicit LivePodLister(cache::Lister<PersistentVolumeClaim> claims)
      : claims_(std::move(claims)) {}

  /// Whether a pod keeps this claim, which is to go.
  Result<bool> IsKept(runtime::Context& context, const PersistentVolumeClaim& claim);
  void Forget(const api::ObjectKey& claim);

 private:
  struct Answer {
    std::string uid;
    std::string resource_version;
    bool kept = false;
  };
  using Answers = std::map<std::string, Answer, std::less<>>;  // by the claims' names

  Result<Answers> Ask(runtime::Context& context, const PersistentVolumeClaim& claim) const;
  /// The answer for this version of a claim, if there is one. It is gone then.
  std::optional<Answer> Take(const PersistentVolumeClaim& claim);

  const cache::Lister<PersistentVolumeClaim> claims_;
  Mutex mutex_;
  std::map<std::string, Answers> answers_ FLYBALL_GUARDED_BY(mutex_);  // by namespace
};

}  // namespace flyball::controllers::claim_protection
