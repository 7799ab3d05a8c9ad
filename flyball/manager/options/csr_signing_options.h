#pragma once

#include <chrono>
#include <string>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct CsrSigningOptions {
  /// What signs: both files or none.
  struct Signer {
    std::string certificate_file = {};
    std::string key_file = {};

    bool given() const { return !certificate_file.empty() || !key_file.empty(); }
  };

  Signer all = {};  ///< for every signer, where none of the others is given
  Signer kubelet_serving = {};
  Signer kubelet_client = {};
  Signer kube_apiserver_client = {};
  Signer legacy_unknown = {};
  std::chrono::nanoseconds duration = std::chrono::hours(24 * 365);

  void AddFlags(flags::FlagSection& section);
  void Check(Problems& problems) const;
  void Describe(ConfigWriter& config) const;
};

}  // namespace flyball::manager
