#include "flyball/manager/user_agent.h"

#include "flyball/endpoints/build_metrics.h"
#include "flyball/manager/gates/kube_version.h"

namespace flyball::manager {

std::string UserAgent(const std::string& name) {
  return "kube-controller-manager/" + std::string(kGitVersion) + " (" +
         endpoints::BuildInfo::Own().platform + ") flyball/" + name;
}

}  // namespace flyball::manager
