#pragma once

#include <string>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/gates/feature_gates.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

/// Which release to be like, and which of its features to have.
struct VersionOptions {
  std::vector<std::string> emulated_version = {};
  std::vector<std::string> min_compatibility_version = {};
  flags::Multimap feature_gates = {};
  FeatureGates gates = {};  ///< what comes of the three, after Resolve()

  flags::VersionRequest request = {};  ///< --version

  void AddFlags(flags::FlagSection& section);
  void AddGlobalFlags(flags::FlagSection& section);
  Result<> Resolve();
  void Check(Problems& problems) const;
  /// What we say that we are: "v1.37.1".
  std::string_view reported() const;
};

}  // namespace flyball::manager
