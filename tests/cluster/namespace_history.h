#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/client/object_codec.h"
#include "tests/cluster/etcd_history.h"

namespace flyball::cluster {

/// One change of an object, as etcd has it.
template <typename T>
struct Seen {
  std::string key;  ///< what an object has that has no other: its path
  std::int64_t revision = 0;
  const T* before = nullptr;  ///< null: there was none
  const T* now = nullptr;     ///< null: it is gone

  const T& either() const { return now != nullptr ? *now : *before; }
  const std::string& uid() const { return either().metadata.uid; }
  /// What there is of it now.
  std::optional<T> copy() const { return now == nullptr ? std::nullopt : std::optional<T>(*now); }
};

/// All that happens to objects of some kinds in one namespace, or in none, from the start of this
/// on, revision by revision, whoever did it. One thread looks.
class NamespaceHistory {
 public:
  /// Of one kind: where etcd has them, and who is told of each change.
  struct Kind {
    std::string folder;  ///< "/registry/pods/"
    std::function<Result<>(const EtcdHistory::Change&)> tell;
    bool namespaced = true;
  };
  /// `see` is called with a Seen<T> each, one call at a time for all kinds.
  template <typename T, typename See>
  static Kind Each(std::string folder, See see);
  /// Of a kind that has no namespaces: of all there are.
  template <typename T, typename See>
  static Kind EachOfCluster(std::string folder, See see) {
    Kind kind = Each<T>(std::move(folder), std::move(see));
    kind.namespaced = false;
    return kind;
  }

  static Result<std::unique_ptr<NamespaceHistory>> Follow(const RealControlPlane& plane,
                                                          Executor& executor,
                                                          transport::Network& network,
                                                          const std::string& space,
                                                          std::vector<Kind> kinds);

  /// Returns when all that has been written by now has been told of; an error also if some of it
  /// made no sense.
  Result<> CatchUp();
  /// What `look` returns, which is called while nobody is told of anything.
  template <typename Look>
  auto WhileStill(Look look) {
    MutexLock lock(mutex_);
    return look();
  }

 private:
  explicit NamespaceHistory(std::vector<Kind> kinds) : kinds_(std::move(kinds)) {}
  void Tell(const EtcdHistory::Change& change);

  const std::vector<Kind> kinds_;
  Mutex mutex_;
  std::vector<std::string> senseless_ FLYBALL_GUARDED_BY(mutex_);
  std::unique_ptr<EtcdHistory> history_;  // ends first
};

template <typename T, typename See>
NamespaceHistory::Kind NamespaceHistory::Each(std::string folder, See see) {
  const auto known = std::make_shared<std::map<std::string, T>>();
  return {std::move(folder), [known, see](const EtcdHistory::Change& change) -> Result<> {
            const auto last = known->find(change.key);
            Seen<T> seen{.key = change.key,
                         .revision = change.revision,
                         .before = last == known->end() ? nullptr : &last->second};
            if (change.value.empty()) {
              if (seen.before == nullptr) return {};  // from before all this
              see(seen);
              known->erase(last);
              return {};
            }
            FLYBALL_TRY(T now, client::DecodeBody<T>(change.value));
            seen.now = &now;
            if (seen.before != nullptr && seen.before->metadata.uid != now.metadata.uid) {
              return Fail(ErrorCode::kMalformed, "two at once");
            }
            see(seen);
            known->insert_or_assign(change.key, std::move(now));
            return {};
          }};
}

}  // namespace flyball::cluster
