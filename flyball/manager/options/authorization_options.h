#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

/// Who may ask this manager what.
struct AuthorizationOptions {
  std::string kubeconfig = {};
  std::chrono::nanoseconds allow_cache_ttl = std::chrono::seconds(10);
  std::chrono::nanoseconds deny_cache_ttl = std::chrono::seconds(10);
  std::vector<std::string> always_allow_paths = {"/healthz", "/readyz", "/livez"};

  void AddFlags(flags::FlagSection& section) {
    section.Add(
        "authorization-kubeconfig", kubeconfig,
        "Kubeconfig file of a user who may create subjectaccessreviews.authorization.k8s.io. If it "
        "is not given and this process runs outside a cluster, requests for other paths than those "
        "in --authorization-always-allow-paths are denied.");
    section.Add("authorization-webhook-cache-authorized-ttl", allow_cache_ttl,
                "Time for which a SubjectAccessReview that allowed a request is cached.");
    section.Add("authorization-webhook-cache-unauthorized-ttl", deny_cache_ttl,
                "Time for which a SubjectAccessReview that denied a request is cached.");
    section.Add("authorization-always-allow-paths", always_allow_paths,
                "HTTP paths that are served without an authorization check; a path that ends in * "
                "stands for all paths with that prefix.");
  }
};

}  // namespace flyball::manager
