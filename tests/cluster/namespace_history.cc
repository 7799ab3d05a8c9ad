#include "tests/cluster/namespace_history.h"

#include <algorithm>
#include <chrono>

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 60s;

}  // namespace

Result<std::unique_ptr<NamespaceHistory>> NamespaceHistory::Follow(const RealControlPlane& plane,
                                                                   Executor& executor,
                                                                   transport::Network& network,
                                                                   const std::string& space,
                                                                   std::vector<Kind> kinds) {
  std::unique_ptr<NamespaceHistory> made(new NamespaceHistory(std::move(kinds)));
  NamespaceHistory* const self = made.get();
  const auto wanted = [self, space](std::string_view key) {
    return std::ranges::any_of(self->kinds_, [&](const Kind& kind) {
      if (!key.starts_with(kind.folder)) return false;
      return !kind.namespaced || key.substr(kind.folder.size()).starts_with(space + "/");
    });
  };
  FLYBALL_TRY(made->history_, EtcdHistory::Follow(plane, executor, network, wanted,
                                                  [self](const EtcdHistory::Change& change) {
                                                    self->Tell(change);
                                                  }));
  return made;
}

void NamespaceHistory::Tell(const EtcdHistory::Change& change) {
  MutexLock lock(mutex_);
  const auto kind = std::ranges::find_if(
      kinds_, [&](const Kind& one) { return change.key.starts_with(one.folder); });
  const auto told = kind->tell(change);
  if (!told) senseless_.push_back(change.key + ": " + told.error().Describe());
}

Result<> NamespaceHistory::CatchUp() {
  FLYBALL_TRY(history_->CatchUp(kPatience));
  MutexLock lock(mutex_);
  if (senseless_.empty()) return {};
  return Fail(ErrorCode::kMalformed,
              senseless_.front() + ", and " + std::to_string(senseless_.size() - 1) + " more");
}

}  // namespace flyball::cluster
