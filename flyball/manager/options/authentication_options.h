#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/gates/feature_gates.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

/// How those who ask this manager something prove who they are.
struct AuthenticationOptions {
  /// A proxy in front that says in headers whom it speaks for.
  struct RequestHeader {
    std::vector<std::string> username_headers = {"x-remote-user"};
    std::vector<std::string> uid_headers = {};
    std::vector<std::string> group_headers = {"x-remote-group"};
    std::vector<std::string> extra_header_prefixes = {"x-remote-extra-"};
    std::string client_ca_file = {};
    std::vector<std::string> allowed_names = {};  ///< empty: whoever that CA vouches for
  };

  std::string kubeconfig = {};
  std::chrono::nanoseconds token_cache_ttl = std::chrono::seconds(10);
  std::string client_ca_file = {};
  RequestHeader request_header = {};
  bool skip_lookup = false;
  bool tolerate_lookup_failure = false;

  void AddFlags(flags::FlagSection& section);
  void Check(Problems& problems, const FeatureGates& gates) const;
};

}  // namespace flyball::manager
