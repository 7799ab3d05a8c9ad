#include "flyball/simulation/storage/simulated_storage.h"

#include "flyball/simulation/storage/attacher.h"
#include "flyball/simulation/storage/provisioner.h"
#include "flyball/simulation/storage/resizer.h"

namespace flyball::simulation {
namespace {

Result<> Tolerate(const auto& created) {
  if (created || created.error().code() == ErrorCode::kAlreadyExists) return {};
  return std::unexpected(created.error());
}

DriverOptions PartsOf(const SimulatedStorage::Options& options) {
  return {.driver = options.driver, .timings = options.timings};
}

}  // namespace

storage::v1::CSIDriver DescribeDriver(std::string_view driver, bool attach_required) {
  storage::v1::CSIDriver described;
  described.metadata.name = driver;
  described.spec.attachRequired = attach_required;
  return described;
}

storage::v1::StorageClass DescribeClass(std::string_view name, std::string_view driver,
                                        bool is_default) {
  storage::v1::StorageClass described;
  described.metadata.name = name;
  if (is_default) {
    described.metadata.annotations["storageclass.kubernetes.io/is-default-class"] = "true";
  }
  described.provisioner = driver;
  described.reclaimPolicy = "Delete";
  described.volumeBindingMode = "WaitForFirstConsumer";
  described.allowVolumeExpansion = true;
  return described;
}

Result<> InstallStorage(const client::Client& client, const storage::v1::CSIDriver& driver,
                        const storage::v1::StorageClass& storage_class) {
  FLYBALL_TRY(Tolerate(client.Of<storage::v1::CSIDriver>().Create(driver)));
  return Tolerate(client.Of<storage::v1::StorageClass>().Create(storage_class));
}

SimulatedStorage::SimulatedStorage(const runtime::Controller::Deps& deps, const Options& options)
    : provisioner_(MakeProvisioner(deps, PartsOf(options))),
      attacher_(MakeAttacher(deps, PartsOf(options))),
      resizer_(MakeResizer(deps, PartsOf(options))) {}

void SimulatedStorage::Start() {
  provisioner_->Start();
  attacher_->Start();
  resizer_->Start();
}

bool SimulatedStorage::Stop(SteadyTime deadline) {
  const bool provisioner = provisioner_->Stop(deadline);
  const bool attacher = attacher_->Stop(deadline);
  const bool resizer = resizer_->Stop(deadline);
  return provisioner && attacher && resizer;
}

}  // namespace flyball::simulation
