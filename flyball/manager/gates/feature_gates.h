#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/endpoints/build_metrics.h"
#include "flyball/manager/flags/flag_value.h"
#include "flyball/manager/gates/known_gates.h"
#include "flyball/manager/gates/kube_version.h"

namespace flyball::manager {

/// Which features are on: those of upstream's gates, at the release that is emulated. A value: what
/// depends on a gate is given one, and nobody can change it afterwards.
class FeatureGates {
 public:
  /// Everything as it is by default.
  FeatureGates() = default;

  /// --feature-gates: "A=true,B=false", under "kube" or under nothing. AllAlpha and AllBeta set
  /// what is not named itself. Unknown and locked gates are errors, as is one whose needs are off.
  static Result<FeatureGates> Make(EffectiveVersion version, const flags::Multimap& settings);

  /// The gate must be known.
  bool Enabled(std::string_view gate) const;

  /// Every gate that there is at this version, by name.
  std::vector<endpoints::FeatureState> States() const;

  const EffectiveVersion& version() const { return version_; }
  /// A gate that was set and that will be removed: one of a feature that is GA or deprecated.
  struct Warning {
    std::string gate;
    bool on = false;
    GateStage stage = GateStage::kGa;
    friend bool operator==(const Warning&, const Warning&) = default;
  };
  const std::vector<Warning>& warnings() const { return warnings_; }

  /// Alpha and beta gates as --help lists them: "A=true|false (BETA - default=true)".
  static std::vector<std::string> HelpLines();

 private:
  explicit FeatureGates(EffectiveVersion version) : version_(version) {}
  Result<> Set(const std::map<std::string, bool>& wanted);
  void SetAll(GateStage stage, bool on);
  std::vector<std::string> UnmetNeeds() const;

  EffectiveVersion version_;
  std::map<std::string, bool, std::less<>> set_;
  std::vector<Warning> warnings_;
};

}  // namespace flyball::manager
