#pragma once

#include <cstdlib>
#include <functional>
#include <string>

namespace flyball::client {

/// What a process is told besides its flags. Tests bring their own.
struct Environment {
  /// An environment variable; empty if it is not set.
  std::function<std::string(const std::string& name)> variable = [](const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return std::string(value == nullptr ? "" : value);
  };
  /// Where a pod finds its service account's token, certificate authority and namespace.
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
};

}  // namespace flyball::client
