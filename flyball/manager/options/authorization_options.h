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
    section.Add("authorization-kubeconfig", kubeconfig,
                "A kubeconfig with the right to create subjectaccessreviews.authorization.k8s.io. "
                "Without one nobody may ask for what --authorization-always-allow-paths does not "
                "name.");
    section.Add("authorization-webhook-cache-authorized-ttl", allow_cache_ttl,
                "How long it is remembered that somebody may.");
    section.Add("authorization-webhook-cache-unauthorized-ttl", deny_cache_ttl,
                "How long it is remembered that somebody may not.");
    section.Add("authorization-always-allow-paths", always_allow_paths,
                "Paths that anybody may ask for. One that ends in * is all that begin so.");
  }
};

}  // namespace flyball::manager
