#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "flyball/api/storage/v1.h"
#include "flyball/client/client.h"
#include "flyball/simulation/storage/driver_deps.h"

/// Storage without disks: what the sidecars of a CSI driver would have written, it writes.
///
///   storage_script.h   what is to become of each step: timings, annotations, parameters of classes
///   step_log.h         how far each is, and when it is tried again
///   provision_plan.h, attach_plan.h, resize_plan.h   decide, as the sidecars do
///   provisioner.h, attacher.h, resizer.h             do
///   pod_volumes.h      which claims and volumes pods use, and whether a node may start them
///   volume_needs.h     what the scheduler makes of claims and volumes; scheduler_volumes.h does
namespace flyball::simulation {

inline constexpr std::string_view kSimulatedDriver = "storage.simulation.flyball.dev";

/// The driver, as a cluster has to know of it, and a class of it: volumes are made when the first
/// pod wants them, and can grow.
storage::v1::CSIDriver DescribeDriver(std::string_view driver, bool attach_required);
storage::v1::StorageClass DescribeClass(std::string_view name, std::string_view driver,
                                        bool is_default);

/// Has a server know of them. What is there already stays as it is.
Result<> InstallStorage(const client::Client& client, const storage::v1::CSIDriver& driver,
                        const storage::v1::StorageClass& storage_class);

/// The sidecars of a driver, on any API server.
///
///   SimulatedStorage storage(deps, {});
///   informers.Start(); informers.WaitForSync({});
///   storage.Start();
///
/// Nodes and the scheduler look at volumes if they are told to: SimulatedNodes::Options::volumes,
/// SchedulerOptions::volumes.
///
/// Any thread, but for the constructor and the destructor.
class SimulatedStorage {
 public:
  struct Options {
    std::string driver = std::string(kSimulatedDriver);
    StorageTimings timings = {};
  };

  SimulatedStorage(const runtime::Controller::Deps& deps, const Options& options);

  /// When the caches have what there is.
  void Start();
  /// False if something is still under way at the deadline.
  [[nodiscard]] bool Stop(SteadyTime deadline);

 private:
  const std::unique_ptr<runtime::Controller> provisioner_;
  const std::unique_ptr<runtime::Controller> attacher_;
  const std::unique_ptr<runtime::Controller> resizer_;
};

}  // namespace flyball::simulation
