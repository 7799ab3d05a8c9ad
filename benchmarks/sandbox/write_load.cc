#include "benchmarks/sandbox/write_load.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/envelope.h"
#include "flyball/base/mutex.h"

namespace flyball::bench {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;

/// Counts the events that reach watchers. The network's thread calls Add().
class EventCount {
 public:
  explicit EventCount(Clock& clock) : clock_(clock) {}

  void Add(int events) {
    const MutexLock lock(mutex_);
    count_ += events;
    changed_.NotifyAll();
  }
  Result<> WaitFor(int events) {
    MutexLock lock(mutex_);
    const bool came = clock_.WaitUntil(lock, changed_, clock_.DeadlineAfter(60s),
                                       [&]() FLYBALL_REQUIRES(mutex_) { return count_ >= events; });
    if (came && count_ == events) return {};
    return Fail(ErrorCode::kTimeout, std::to_string(count_) + " events came where " +
                                         std::to_string(events) + " were due");
  }

 private:
  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  int count_ FLYBALL_GUARDED_BY(mutex_) = 0;
};

/// One watch, whose frames are counted.
class Watcher {
 public:
  Watcher(transport::ResponseStream stream, EventCount& count)
      : stream_(std::move(stream)), count_(count) {
    stream_.OnReadable([this] { Read(); });
  }
  ~Watcher() {
    stream_.OnReadable([] {});
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  void Read() {
    auto bytes = stream_.TryRead();
    if (!bytes || !*bytes) return;
    frames_.Feed(**bytes);
    int events = 0;
    for (auto frame = frames_.Next(); frame && *frame; frame = frames_.Next()) ++events;
    if (events > 0) count_.Add(events);
  }

  transport::ResponseStream stream_;
  EventCount& count_;
  api::FrameReader frames_;
};

Result<std::unique_ptr<Watcher>> Watch(Connection& connection, const std::string& space,
                                       EventCount& count) {
  FLYBALL_TRY(auto stream,
              connection.rest().Open({.path = "/api/v1/namespaces/" + space + "/pods",
                                      .query = "watch=true&resourceVersion=0",
                                      .accept = "application/vnd.kubernetes.protobuf;stream=watch",
                                      .asked = "watch pods"}));
  return std::make_unique<Watcher>(std::move(stream), count);
}

Result<> MakeNamespace(const client::Client& client, const std::string& name) {
  core::v1::Namespace space;
  space.metadata.name = name;
  FLYBALL_TRY(client.Of<core::v1::Namespace>().Create(space));
  // What the controller manager would do for a new namespace.
  core::v1::ServiceAccount account;
  account.metadata.namespace_ = name;
  account.metadata.name = "default";
  FLYBALL_TRY(client.Of<core::v1::ServiceAccount>().Create(account));
  return {};
}

/// As a Deployment's pods are.
Result<Pod> TypicalPod(const std::string& space, int number) {
  Pod pod;
  pod.metadata.namespace_ = space;
  pod.metadata.name = "web-6d4b75cb6d-" + std::to_string(number);
  pod.metadata.labels["app.kubernetes.io/name"] = "web";
  pod.metadata.labels["app.kubernetes.io/instance"] = "shop";
  pod.metadata.labels["pod-template-hash"] = "6d4b75cb6d";
  auto& owner = pod.metadata.ownerReferences.emplace_back();
  owner.apiVersion = "apps/v1";
  owner.kind = "ReplicaSet";
  owner.name = "web-6d4b75cb6d";
  owner.uid = "b5d3f1f0-4a5b-4b8f-9a86-0f4c3d9a7f10";
  owner.controller = true;
  owner.blockOwnerDeletion = true;
  auto& container = pod.spec.containers.emplace_back();
  container.name = "web";
  container.image = "registry.example.com/shop/web:1.27.3";
  container.ports.emplace_back().containerPort = 8080;
  for (const char* const name : {"LOG_LEVEL", "DATABASE_URL", "CACHE_URL"}) {
    auto& variable = container.env.emplace_back();
    variable.name = name;
    variable.value = "tcp://service.shop.svc.cluster.local:5432";
  }
  FLYBALL_TRY(container.resources.requests["cpu"], api::Quantity::Parse("100m"));
  FLYBALL_TRY(container.resources.requests["memory"], api::Quantity::Parse("128Mi"));
  FLYBALL_TRY(container.resources.limits["memory"], api::Quantity::Parse("256Mi"));
  return pod;
}

/// Has as many calls under way as may be, and hands over each answer.
template <typename Start, typename Take>
Result<> CallAll(int calls, std::size_t in_flight, Start start, Take take) {
  std::deque<client::Pending<Pod>> under_way;
  for (int started = 0; started < calls || !under_way.empty();) {
    if (started < calls && under_way.size() < in_flight) {
      FLYBALL_TRY(auto call, start(started++));
      under_way.push_back(std::move(call));
      continue;
    }
    FLYBALL_TRY(Pod pod, under_way.front().Wait());
    under_way.pop_front();
    take(std::move(pod));
  }
  return {};
}

}  // namespace

Result<WriteFigures> RunWrites(Connection& connection, const std::string& prefix,
                               const WriteLoad& load) {
  const auto space_of = [&](int i) { return prefix + std::to_string(i % load.namespaces); };
  EventCount seen(connection.clock());
  std::vector<std::unique_ptr<Watcher>> watchers;
  for (int i = 0; i < load.namespaces; ++i) {
    FLYBALL_TRY(MakeNamespace(connection.client(), space_of(i)));
    for (int each = 0; each < load.watchers_each; ++each) {
      FLYBALL_TRY(auto watcher, Watch(connection, space_of(i), seen));
      watchers.push_back(std::move(watcher));
    }
  }
  const auto pods = connection.client().Of<Pod>();
  std::vector<Pod> created;
  created.reserve(load.pods);
  WriteFigures figures{.writes = 2 * load.pods};
  const SteadyTime start = connection.clock().SteadyNow();
  FLYBALL_TRY(CallAll(
      load.pods, load.in_flight,
      [&](int i) -> Result<client::Pending<Pod>> {
        FLYBALL_TRY(const Pod pod, TypicalPod(space_of(i), i));
        return pods.Async().Create(pod);
      },
      [&](Pod pod) { created.push_back(std::move(pod)); }));
  FLYBALL_TRY(CallAll(
      load.pods, load.in_flight,
      [&](int i) -> Result<client::Pending<Pod>> {
        Pod& pod = created[i];
        pod.metadata.labels["round"] = "2";
        return pods.Async().Update(pod);
      },
      [](const Pod&) {}));
  FLYBALL_TRY(seen.WaitFor(figures.writes * load.watchers_each));
  figures.took = connection.clock().SteadyNow() - start;
  return figures;
}

}  // namespace flyball::bench
