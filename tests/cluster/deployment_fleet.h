#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "flyball/api/apps/v1.h"
#include "flyball/api/views.h"
#include "flyball/base/clock.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/client/client.h"

namespace flyball::cluster {

/// Many deployments alike in one namespace, as somebody has them who makes them, gives them a new
/// image, and waits. What is there is read from caches of the factory. One thread.
class DeploymentFleet {
 public:
  struct Deps {
    client::Client client;
    cache::InformerFactory& informers;
    Clock& clock;
  };
  struct Shape {
    int deployments = 10;
    int pods = 4;  ///< of each
    /// What is to be different about one, by its number.
    std::function<void(int, apps::v1::Deployment&)> adjust = nullptr;
  };

  DeploymentFleet(Deps deps, std::string space, Shape shape)
      : deps_(std::move(deps)), space_(std::move(space)), shape_(std::move(shape)) {}

  /// Has the caches read what they need to. Before they are started.
  static void Watch(cache::InformerFactory& informers);

  static std::string NameOf(int number) { return "web-" + std::to_string(number); }
  const std::string& space() const { return space_; }
  const Shape& shape() const { return shape_; }

  /// All at once, as far as the server likes; but for those before `first`, which are there.
  Result<> Create(const std::string& image, int first = 0) const;
  Result<> CreateOne(int number, const std::string& image) const;
  Result<> Roll(const std::string& image) const;
  /// Writes something on one that is copied to its ReplicaSet, and waits until it is there.
  Result<> Touch(int number, const std::string& mark) const;

  /// How many are as they were asked to be, by their status and for the whole of their spec.
  int Complete() const;
  int PodCount() const;
  /// Until all are complete and no pod is left that is not theirs.
  Result<> AwaitComplete(std::chrono::nanoseconds patience) const;

  static bool IsComplete(const apps::v1::Deployment& deployment);

 private:
  apps::v1::Deployment Describe(int number, const std::string& image) const;
  std::string Progress() const;

  const Deps deps_;
  const std::string space_;
  const Shape shape_;
};

}  // namespace flyball::cluster
