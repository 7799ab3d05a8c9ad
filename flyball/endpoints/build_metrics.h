#pragma once

#include <string>
#include <vector>

#include "flyball/base/metrics.h"

namespace flyball::endpoints {

/// Which program this is, as kubernetes_build_info has it. What has no meaning here is empty.
struct BuildInfo {
  std::string major = "1";
  std::string minor = "37";
  std::string git_version = "v1.37.1";
  std::string git_commit = {};
  std::string git_tree_state = {};
  std::string build_date = "1970-01-01T00:00:00Z";
  std::string go_version = {};
  std::string compiler = {};
  std::string platform = {};

  /// Of this build.
  static BuildInfo Own();
};

/// Sets kubernetes_build_info, once and for all.
void RecordBuildInfo(MetricRegistry& registry, const BuildInfo& build);

/// Which release a component is, which one it behaves as, and the oldest that it gets along with.
struct CompatibilityInfo {
  std::string component;  ///< "kube"
  std::string binary;     ///< "1.37.1"
  std::string emulation;  ///< "1.37"
  std::string min_compatibility;
};

/// Sets version_info, once and for all.
void RecordCompatibility(MetricRegistry& registry, const CompatibilityInfo& info);

struct FeatureState {
  std::string name;   ///< "JobManagedBy"
  std::string stage;  ///< "ALPHA", "BETA", "DEPRECATED", or empty where it is there for good
  bool enabled = false;
};

/// Sets kubernetes_feature_enabled for each.
void RecordFeatures(MetricRegistry& registry, const std::vector<FeatureState>& features);

}  // namespace flyball::endpoints
