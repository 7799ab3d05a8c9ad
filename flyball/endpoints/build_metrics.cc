#include "flyball/endpoints/build_metrics.h"

namespace flyball::endpoints {

BuildInfo BuildInfo::Own() {
#if defined(__aarch64__)
  constexpr std::string_view kPlatform = "linux/arm64";
#else
  constexpr std::string_view kPlatform = "linux/amd64";
#endif
  BuildInfo own;
  own.compiler = "g++ " __VERSION__;
  own.platform = kPlatform;
  return own;
}

void RecordBuildInfo(MetricRegistry& registry, const BuildInfo& build) {
  registry
      .Gauges({.name = "kubernetes_build_info",
               .help = "[BETA] Always 1; the labels say which program this is and where it runs.",
               .labels = {"major", "minor", "git_version", "git_commit", "git_tree_state",
                          "build_date", "go_version", "compiler", "platform"}})
      .With({build.major, build.minor, build.git_version, build.git_commit, build.git_tree_state,
             build.build_date, build.go_version, build.compiler, build.platform})
      .Set(1);
}

void RecordCompatibility(MetricRegistry& registry, const CompatibilityInfo& info) {
  registry
      .Gauges({.name = "version_info",
               .help = "[ALPHA] Always 1; the labels say which release this is, which one it "
                       "behaves as, and the oldest that it gets along with.",
               .labels = {"component", "binary", "emulation", "min_compat"}})
      .With({info.component, info.binary, info.emulation, info.min_compatibility})
      .Set(1);
}

void RecordFeatures(MetricRegistry& registry, const std::vector<FeatureState>& features) {
  const GaugeFamily enabled = registry.Gauges(
      {.name = "kubernetes_feature_enabled",
       .help = "[BETA] Whether a feature gate is on: 1 if so, else 0; and the gate's stage.",
       .labels = {"name", "stage"}});
  for (const FeatureState& feature : features) {
    enabled.With({feature.name, feature.stage}).Set(feature.enabled ? 1 : 0);
  }
}

}  // namespace flyball::endpoints
