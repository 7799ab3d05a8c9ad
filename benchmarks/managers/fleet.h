#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "benchmarks/managers/stage.h"
#include "flyball/api/kubelet_views.h"
#include "tests/cluster/many_requests.h"

namespace flyball::bench {

/// Many objects alike in one namespace that have pods, as somebody has them who makes them, changes
/// them, and waits. One thread.
template <typename T>
class Fleet {
 public:
  struct Shape {
    int count = 0;
    int pods = 0;                           ///< that there are in the namespace when all is done
    std::function<T(int number)> describe;  ///< its name and its spec
    std::function<bool(const T& one)> is_complete;
  };
  Fleet(Stage& stage, std::string space, Shape shape)
      : stage_(stage), space_(std::move(space)), shape_(std::move(shape)) {}

  static std::string NameOf(int number) { return "fleet-" + std::to_string(number); }

  Result<> Create() {
    const auto client = stage_.client().template Of<T>().Async();
    return cluster::ForAll(
        shape_.count,
        [&](int number) {
          T one = shape_.describe(number);
          one.metadata.namespace_ = space_;
          one.metadata.name = NameOf(number);
          return client.Create(one);
        },
        [this](const T& made) { Expect(made); });
  }
  Result<> Patch(const client::Patch& patch) {
    const auto client = stage_.client().template Of<T>().Async();
    return cluster::ForAll(
        shape_.count, [&](int number) { return client.Patch({space_, NameOf(number)}, patch); },
        [this](const T& made) { Expect(made); });
  }

  /// Until all are, as they were asked to be last, and no pod is left that is not theirs.
  Result<> AwaitComplete() const {
    const auto all = stage_.informers().template Of<T>().lister();
    const auto is_complete = [&](const std::pair<const std::string, std::int64_t>& asked) {
      const auto one = all.Get({space_, asked.first});
      return one && one->metadata.generation >= asked.second && shape_.is_complete(*one);
    };
    // Those that are done are not looked at again: there may be thousands.
    auto next = generations_.begin();
    return stage_.Await(Stage::kPatience, "not all is done", [&] {
      while (next != generations_.end() && is_complete(*next)) ++next;
      return next == generations_.end() && PodCount() == shape_.pods;
    });
  }

 private:
  void Expect(const T& made) { generations_[made.metadata.name] = made.metadata.generation; }
  int PodCount() const {
    return static_cast<int>(
        stage_.informers().Of<views::KubeletPod>().lister().InNamespace(space_).size());
  }

  Stage& stage_;
  const std::string space_;
  const Shape shape_;
  std::map<std::string, std::int64_t> generations_;
};

/// A template with one container, `main`, that has what most have.
template <typename T>
void DescribeTemplate(T& workload, const std::string& app) {
  workload.spec.template_.metadata.labels = {{"app", app}, {"tier", "back"}};
  auto& container = workload.spec.template_.spec.containers.emplace_back();
  container.name = "main";
  container.image = "registry.example.com/app:1";
  for (const char* const name : {"POSTGRES_HOST", "LOG_LEVEL", "FEATURES"}) {
    auto& variable = container.env.emplace_back();
    variable.name = name;
    variable.value = "a value of usual length";
  }
  container.resources.requests["cpu"] = *api::Quantity::Parse("10m");
  container.resources.requests["memory"] = *api::Quantity::Parse("16Mi");
}

inline client::Patch NewImage() {
  return {client::PatchType::kStrategic,
          R"({"spec":{"template":{"spec":{"containers":[)"
          R"({"name":"main","image":"registry.example.com/app:2"}]}}}})"};
}

/// What there is to a kind of set: made, rolled to another image, found by a manager that starts,
/// and deleted.
template <typename T>
Result<> RunSets(Stage& stage, typename Fleet<T>::Shape shape) {
  FLYBALL_TRY(stage.StartManager());
  FLYBALL_TRY(const std::string space, stage.NewSpace());
  Fleet<T> fleet(stage, space, std::move(shape));
  stage.Begin();
  FLYBALL_TRY(fleet.Create());
  FLYBALL_TRY(fleet.AwaitComplete());
  stage.Note("create all");

  stage.Begin();
  FLYBALL_TRY(fleet.Patch(NewImage()));
  FLYBALL_TRY(fleet.AwaitComplete());
  stage.Note("roll all");

  FLYBALL_TRY(stage.MeasureRestartAndEnd(space));
  return stage.StopManager();
}

}  // namespace flyball::bench
