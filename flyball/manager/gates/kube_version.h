#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::manager {

/// A release of Kubernetes.
struct KubeVersion {
  unsigned major = 0;
  unsigned minor = 0;

  /// "1.37".
  std::string ToString() const { return std::to_string(major) + "." + std::to_string(minor); }
  friend auto operator<=>(const KubeVersion&, const KubeVersion&) = default;
};

/// Whose behaviour this is.
inline constexpr KubeVersion kKubeVersion = {1, 37};
/// What it is called where several components have versions and gates of their own.
inline constexpr std::string_view kKubeComponent = "kube";
inline constexpr std::string_view kGitVersion = "v1.37.1";
/// The oldest release that can be emulated.
inline constexpr KubeVersion kOldestVersion = {kKubeVersion.major, kKubeVersion.minor - 3};

/// Which release's features there are, and with which releases beside it they have to get along.
struct EffectiveVersion {
  KubeVersion emulated = kKubeVersion;
  KubeVersion min_compatibility = {kKubeVersion.major, kKubeVersion.minor - 1};

  /// From --emulated-version and --min-compatibility-version, each a list of "1.36" or "kube=1.36".
  /// Whether they are within bounds is for Problems() to say.
  static Result<EffectiveVersion> Parse(const std::vector<std::string>& emulated,
                                        const std::vector<std::string>& min_compatibility);
  std::vector<std::string> Problems() const;

  friend bool operator==(const EffectiveVersion&, const EffectiveVersion&) = default;
};

/// --version=v1.37.1-x has us say that we are that. It must be of our release.
Result<> CheckReportedVersion(std::string_view text);

}  // namespace flyball::manager
