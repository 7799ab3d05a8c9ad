#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/api/policy/v1.h"
#include "flyball/api/time.h"
#include "flyball/base/clock.h"

/// Budgets and pods for tests.
namespace flyball::controllers::disruption {

inline const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};

/// One for the pods of an app.
inline policy::v1::PodDisruptionBudget FakeBudget(const std::string& name,
                                                  const std::string& app = "web") {
  policy::v1::PodDisruptionBudget budget;
  budget.metadata.namespace_ = "team";
  budget.metadata.name = name;
  budget.metadata.generation = 1;
  budget.spec.selector.emplace().matchLabels = {{"app", app}};
  return budget;
}

inline core::v1::PodCondition FakeCondition(std::string type, std::string status,
                                            WallTime since = kNow) {
  core::v1::PodCondition condition;
  condition.type = std::move(type);
  condition.status = std::move(status);
  condition.lastTransitionTime = api::Time(since);
  return condition;
}

/// One that is ready.
inline core::v1::Pod FakePod(const std::string& name, const std::string& app = "web") {
  core::v1::Pod pod;
  pod.metadata.namespace_ = "team";
  pod.metadata.name = name;
  pod.metadata.labels = {{"app", app}};
  core::v1::Container& container = pod.spec.containers.emplace_back();
  container.name = "main";
  container.image = "app";
  pod.status.phase = "Running";
  pod.status.conditions = {FakeCondition("Ready", "True")};
  return pod;
}

}  // namespace flyball::controllers::disruption
