#include "flyball/manager/options/version_options.h"

namespace flyball::manager {

void VersionOptions::AddFlags(flags::FlagSection& section) {
  const EffectiveVersion usual;
  const auto range = [](const KubeVersion& version) {
    return "kube=" + kOldestVersion.ToString() + ".." + kKubeVersion.ToString() +
           "(default:" + version.ToString() + ")";
  };
  section.Add("emulated-version", emulated_version,
              "The release whose features there are, as major.minor: 'kube=1.36' or '1.36'.\n"
              "Options are: " +
                  range(usual.emulated));
  section.Add("min-compatibility-version", min_compatibility_version,
              "The oldest release of the other control plane components that there may be beside "
              "this one, as major.minor: 'kube=1.36' or '1.36'. Not newer than "
              "--emulated-version.\nOptions are: " +
                  range(usual.min_compatibility));
  std::string gates_usage =
      "Features to have or not to have: 'name=true,other=false', each with 'kube:' before it or "
      "without. May be given several times. Options are:";
  for (const std::string& line : FeatureGates::HelpLines()) gates_usage += "\nkube:" + line;
  section.Add("feature-gates", feature_gates, gates_usage);
}

void VersionOptions::AddGlobalFlags(flags::FlagSection& section) {
  section.Add("version", request,
              "--version and --version=raw print the version and end; --version=vX.Y.Z... has the "
              "manager say that it is that one.");
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
  for (const std::string& warning : gates.warnings()) problems.Warn(warning);
}

}  // namespace flyball::manager
