#include "flyball/manager/options/version_options.h"

namespace flyball::manager {

void VersionOptions::AddFlags(flags::FlagSection& section) {
  const EffectiveVersion usual;
  const auto range = [](const KubeVersion& version) {
    return "kube=" + kOldestVersion.ToString() + ".." + kKubeVersion.ToString() +
           "(default:" + version.ToString() + ")";
  };
  section.Add("emulated-version", emulated_version,
              "Kubernetes release, as major.minor, whose features and feature gates this program "
              "has: 'kube=1.36' or '1.36'. Empty means its own version.\nOptions are: " +
                  range(usual.emulated));
  section.Add("min-compatibility-version", min_compatibility_version,
              "Oldest Kubernetes release, as major.minor, of the other control plane components "
              "that may run beside this program: 'kube=1.36' or '1.36'. Must not be newer than "
              "--emulated-version.\nOptions are: " +
                  range(usual.min_compatibility));
  std::string gate_lines;
  for (const std::string& line : FeatureGates::HelpLines()) gate_lines += "\nkube:" + line;
  section.Add(
      "feature-gates", feature_gates,
      "Feature gates to switch on or off, as a comma-separated list of name=true or name=false; a "
      "name may have the prefix 'kube:', and the flag may be repeated. Options are:" +
          gate_lines);
}

void VersionOptions::AddGlobalFlags(flags::FlagSection& section) {
  section.Add("version", request,
              "Print the version and exit; --version=raw prints all its parts, and "
              "--version=vX.Y.Z makes this program report that version as its own.");
}

std::string_view VersionOptions::reported() const {
  return request.text.starts_with('v') ? std::string_view(request.text) : kGitVersion;
}

Result<> VersionOptions::Resolve() {
  FLYBALL_TRY(const EffectiveVersion version,
              EffectiveVersion::Parse(emulated_version, min_compatibility_version));
  FLYBALL_TRY(gates, FeatureGates::Make(version, feature_gates));
  return {};
}

void VersionOptions::Check(Problems& problems) const {
  for (std::string& problem : gates.version().Problems()) problems.Add(std::move(problem));
}

}  // namespace flyball::manager
