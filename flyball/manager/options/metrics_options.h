#pragma once

#include <map>
#include <string>
#include <vector>

#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

/// Which metrics are shown.
struct MetricsOptions {
  std::string show_hidden_for_version = {};
  std::vector<std::string> disabled = {};
  /// "metric,label" to the values that the label may have, with commas between them.
  std::map<std::string, std::string> allowed_labels = {};
  std::string allowed_labels_manifest = {};

  void AddFlags(flags::FlagSection& section);
  /// Reads the manifest, if one is named.
  void Check(Problems& problems) const;
};

}  // namespace flyball::manager
