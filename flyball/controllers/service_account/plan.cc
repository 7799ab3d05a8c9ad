#include "flyball/controllers/service_account/plan.h"

namespace flyball::controllers::service_account {

std::optional<core::v1::ServiceAccount> PlanFor(const core::v1::Namespace& space,
                                                bool has_account) {
  if (has_account || space.status.phase != "Active") return std::nullopt;
  core::v1::ServiceAccount account;
  account.metadata.namespace_ = space.metadata.name;
  account.metadata.name = kName;
  return account;
}

}  // namespace flyball::controllers::service_account
