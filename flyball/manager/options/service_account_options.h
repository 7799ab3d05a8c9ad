#pragma once

#include <cstdint>
#include <string>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct ServiceAccountOptions {
  std::string private_key_file = {};
  std::int32_t concurrent_token_syncs = 5;
  std::string root_ca_file = {};

  void AddFlags(flags::FlagSection& section) {
    section.Add("service-account-private-key-file", private_key_file,
                "File with the PEM-encoded RSA or ECDSA private key that signs ServiceAccount "
                "tokens kept in Secrets. Empty means that no such tokens are made.");
    section.Add("concurrent-serviceaccount-token-syncs", concurrent_token_syncs,
                "Number of ServiceAccount token Secrets that the token controller may sync at the "
                "same time.");
    section.Add("root-ca-file", root_ca_file,
                "File with the PEM-encoded CA certificates of the API server, which are written "
                "into ServiceAccount token Secrets and into the ConfigMap kube-root-ca.crt of "
                "every Namespace. Empty means the CA of the kubeconfig.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ServiceAccountKeyFile", private_key_file);
    config.Add("ConcurrentSATokenSyncs", concurrent_token_syncs);
    config.Add("RootCAFile", root_ca_file);
  }
};

}  // namespace flyball::manager
