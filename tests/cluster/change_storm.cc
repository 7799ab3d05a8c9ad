#include "tests/cluster/change_storm.h"

#include <deque>
#include <functional>
#include <map>
#include <random>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/base/check.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using client::ObjectKey;
using core::v1::ConfigMap;
using core::v1::Pod;

constexpr std::size_t kInFlight = 8;

ConfigMap NewConfigMap(const ObjectKey& key, const std::string& value) {
  ConfigMap map;
  map.metadata.namespace_ = key.namespace_;
  map.metadata.name = key.name;
  map.metadata.labels["odd"] = value.back() % 2 == 0 ? "no" : "yes";
  map.data["value"] = value;
  map.binaryData["bytes"] = std::string("\0\xff", 2) + value;
  return map;
}

Pod NewPod(const ObjectKey& key, const std::string& value) {
  Pod pod;
  pod.metadata.namespace_ = key.namespace_;
  pod.metadata.name = key.name;
  pod.metadata.labels["value"] = value;
  auto& container = pod.spec.containers.emplace_back();
  container.name = "c";
  container.image = "nginx:" + value;
  container.resources.requests["cpu"] = *api::Quantity::Parse("100m");
  return pod;
}

client::Patch Labelled(const std::string& value) {
  return {client::PatchType::kMerge, R"({"metadata":{"labels":{"value":")" + value + R"("}}})"};
}

client::Patch WithStatus(const std::string& value) {
  return {client::PatchType::kMerge,
          R"({"status":{"phase":"Running","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}],)"
          R"("conditions":[{"type":"Ready","status":"True","reason":"R)" +
              value + R"("}]}})"};
}

}  // namespace

class ChangeStorm::Writer {
 public:
  Writer(ChangeStorm& storm, const client::Client& client, std::uint64_t seed)
      : storm_(storm), maps_(client.Of<ConfigMap>()), pods_(client.Of<Pod>()), random_(seed) {}

  void Run() {
    while (!storm_.stop_) {
      if (storm_.AtRest()) {
        FinishAll();
        storm_.executor_.clock().SleepFor(5ms);
        continue;
      }
      under_way_.push_back(Begin());
      if (under_way_.size() >= kInFlight) Finish();
    }
    FinishAll();
  }

 private:
  /// Waits for the answer.
  using Change = std::move_only_function<Result<>()>;
  struct UnderWay {
    std::pair<bool, ObjectKey> what;
    Change change;
  };

  std::uint64_t Below(std::uint64_t bound) { return random_() % bound; }

  UnderWay Begin() {
    const bool is_pod = Below(2) == 0;
    const auto& spaces = storm_.options_.namespaces;
    const ObjectKey key{spaces[Below(spaces.size())],
                        "n" + std::to_string(Below(storm_.options_.names))};
    const std::string value = std::to_string(Below(1000));
    bool& there = there_[{is_pod, key}];
    const bool was_there = std::exchange(there, true);
    if (!was_there)
      return {{is_pod, key},
              is_pod ? Create(pods_, NewPod(key, value)) : Create(maps_, NewConfigMap(key, value))};
    if (Below(5) < 3)
      return {{is_pod, key}, is_pod ? ChangePod(key, value) : ChangeMap(key, value)};
    there = false;
    return {{is_pod, key}, is_pod ? Delete(pods_, key) : Delete(maps_, key)};
  }

  template <typename T>
  static Change Outcome(client::Pending<T> pending) {
    return [pending = std::move(pending)]() mutable -> Result<> {
      FLYBALL_TRY(pending.Wait());
      return {};
    };
  }
  template <typename T>
  static Change Create(const client::ResourceClient<T>& of, const T& object) {
    return Outcome(of.Async().Create(object));
  }
  template <typename T>
  static Change Delete(const client::ResourceClient<T>& of, const ObjectKey& key) {
    meta::v1::DeleteOptions options;
    options.gracePeriodSeconds = 0;
    return Outcome(of.Async().Delete(key, options));
  }
  Change ChangeMap(const ObjectKey& key, const std::string& value) {
    return Outcome(maps_.Async().Patch(
        key, {client::PatchType::kMerge, R"({"data":{"value":")" + value + R"("}})"}));
  }
  Change ChangePod(const ObjectKey& key, const std::string& value) {
    if (Below(2) == 0) return Outcome(pods_.Async().Patch(key, Labelled(value)));
    return Outcome(pods_.Async().Patch(key, WithStatus(value), {}, "status"));
  }

  void FinishAll() {
    while (!under_way_.empty()) Finish();
  }

  void Finish() {
    UnderWay first = std::move(under_way_.front());
    under_way_.pop_front();
    const auto done = first.change();
    if (done) {
      ++storm_.changes_;
      return;
    }
    switch (done.error().code()) {
      case ErrorCode::kNotFound:
        there_[first.what] = false;
        return;
      case ErrorCode::kAlreadyExists:
        there_[first.what] = true;
        return;
      default:  // the server is away, or has enough to do
        storm_.executor_.clock().SleepFor(20ms);
    }
  }

  ChangeStorm& storm_;
  const client::ResourceClient<ConfigMap> maps_;
  const client::ResourceClient<Pod> pods_;
  std::mt19937_64 random_;
  std::map<std::pair<bool, ObjectKey>, bool> there_;  // as far as this one knows
  std::deque<UnderWay> under_way_;
};

ChangeStorm::ChangeStorm(ControlPlane& plane, Executor& executor, transport::Network& network,
                         Options options)
    : executor_(executor), options_(std::move(options)) {
  const Connection first(plane, executor.clock(), network);
  for (const std::string& space : options_.namespaces) {
    core::v1::ServiceAccount account;  // without it there are no pods
    account.metadata.namespace_ = space;
    account.metadata.name = "default";
    const auto created = first.client().Of<core::v1::ServiceAccount>().Create(account);
    FLYBALL_CHECK(created, created.error().Describe());
  }
  for (int i = 0; i < options_.clients; ++i) {
    connections_.push_back(std::make_unique<Connection>(plane, executor.clock(), network));
  }
  {
    MutexLock lock(mutex_);
    writing_ = options_.clients;
  }
  for (int i = 0; i < options_.clients; ++i) {
    executor_.Start("storm", [this, i] {
      Writer(*this, connections_[i]->client(), options_.seed + i).Run();
      MutexLock lock(mutex_);
      --writing_;
      ended_.NotifyAll();  // with the lock held: then this may go
    });
  }
}

ChangeStorm::~ChangeStorm() {
  stop_ = true;
  MutexLock lock(mutex_);
  executor_.clock().Wait(lock, ended_, [this]() FLYBALL_REQUIRES(mutex_) { return writing_ == 0; });
}

void ChangeStorm::WaitForRest() const {
  while (!AtRest()) executor_.clock().SleepFor(5ms);
}

}  // namespace flyball::cluster
