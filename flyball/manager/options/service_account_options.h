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
                "A file with the RSA or ECDSA key, PEM, that signs service account tokens. With it "
                "there are legacy tokens in secrets.");
    section.Add("concurrent-serviceaccount-token-syncs", concurrent_token_syncs,
                "How many token secrets are worked on at the same time. More is faster and costs "
                "more CPU and network.");
    section.Add("root-ca-file", root_ca_file,
                "A file with the certificates, PEM, that token secrets carry for their readers to "
                "trust the API server.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ServiceAccountKeyFile", private_key_file);
    config.Add("ConcurrentSATokenSyncs", concurrent_token_syncs);
    config.Add("RootCAFile", root_ca_file);
  }
};

}  // namespace flyball::manager
