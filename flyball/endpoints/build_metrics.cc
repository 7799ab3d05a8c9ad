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
               .help = "[BETA] Always 1; the labels give the version, commit, compiler and "
                       "platform of this Kubernetes component's build.",
               .labels = {"major", "minor", "git_version", "git_commit", "git_tree_state",
                          "build_date", "go_version", "compiler", "platform"}})
      .With({build.major, build.minor, build.git_version, build.git_commit, build.git_tree_state,
             build.build_date, build.go_version, build.compiler, build.platform})
      .Set(1);
}

void RecordCompatibility(MetricRegistry& registry, const CompatibilityInfo& info) {
  registry
      .Gauges({.name = "version_info",
               .help = "[ALPHA] Always 1; the labels give the component's binary version, emulated "
                       "version and minimum compatibility version.",
               .labels = {"component", "binary", "emulation", "min_compat"}})
      .With({info.component, info.binary, info.emulation, info.min_compatibility})
      .Set(1);
}

void RecordFeatures(MetricRegistry& registry, const std::vector<FeatureState>& features) {
  const GaugeFamily enabled =
      registry.Gauges({.name = "kubernetes_feature_enabled",
                       .help = "[BETA] State of a Kubernetes feature gate: 1 if the feature is "
                               "enabled, 0 if it is disabled; the label stage is its maturity.",
                       .labels = {"name", "stage"}});
  for (const FeatureState& feature : features) {
    enabled.With({feature.name, feature.stage}).Set(feature.enabled ? 1 : 0);
  }
}

}  // namespace flyball::endpoints
