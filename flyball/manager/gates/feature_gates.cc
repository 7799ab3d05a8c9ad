#include "flyball/manager/gates/feature_gates.h"

#include <algorithm>

#include "flyball/base/check.h"
#include "flyball/manager/flags/go_text.h"
#include "flyball/manager/problems.h"
#include "flyball/manager/refusal.h"

namespace flyball::manager {
namespace {

constexpr std::string_view kAllAlpha = "AllAlpha";
constexpr std::string_view kAllBeta = "AllBeta";

std::string_view ToString(GateStage stage) {
  switch (stage) {
    case GateStage::kPreAlpha:
      return "PRE-ALPHA";
    case GateStage::kAlpha:
      return "ALPHA";
    case GateStage::kBeta:
      return "BETA";
    case GateStage::kGa:
      return "";
    case GateStage::kDeprecated:
      return "DEPRECATED";
  }
  return "";
}

std::string_view ToString(bool on) { return on ? "true" : "false"; }

/// The specs of one gate; empty if there is none of that name.
std::span<const GateSpec> SpecsOf(std::string_view gate) {
  const auto range = std::ranges::equal_range(KnownGateSpecs(), gate, {}, &GateSpec::name);
  return {range.begin(), range.end()};
}

/// The specs of each gate.
std::vector<std::span<const GateSpec>> AllGates() {
  std::vector<std::span<const GateSpec>> gates;
  const std::span<const GateSpec> specs = KnownGateSpecs();
  for (auto first = specs.begin(); first != specs.end(); first += std::ssize(gates.back())) {
    gates.push_back(SpecsOf(first->name));
  }
  return gates;
}

/// What a gate is at a release: the newest of its specs that is not too new.
GateSpec SpecAt(std::span<const GateSpec> specs, const EffectiveVersion& version) {
  for (auto spec = specs.rbegin(); spec != specs.rend(); ++spec) {
    const bool there = KubeVersion{spec->since == 0 ? 0U : 1U, spec->since} <= version.emulated;
    const KubeVersion least = {1, spec->min_compatibility};
    const bool compatible = spec->min_compatibility == 0 || version.min_compatibility >= least;
    if (there && compatible) return *spec;
  }
  return {specs.front().name, 0, GateStage::kPreAlpha, false};
}

/// "A=true" of each.
Result<std::map<std::string, bool>> ParseSettings(const std::vector<std::string>& settings) {
  std::map<std::string, bool> wanted;
  for (const std::string& setting : settings) {
    if (setting.empty()) continue;
    const std::size_t equals = setting.find('=');
    const std::string name(flags::TrimSpace(std::string_view(setting).substr(0, equals)));
    if (equals == std::string::npos) return Refuse("missing bool value for " + name);
    const std::string value(flags::TrimSpace(std::string_view(setting).substr(equals + 1)));
    const Result<bool> on = flags::ParseBool(value);
    if (!on) {
      return Refuse("invalid value of " + name + "=" + value + ", err: " + on.error().message());
    }
    wanted[name] = *on;
  }
  return wanted;
}

/// "A=true|false (BETA - default=true)"; empty for what people are not meant to set.
std::string HelpLine(const GateSpec& spec) {
  if (spec.stage != GateStage::kAlpha && spec.stage != GateStage::kBeta) return {};
  return std::string(spec.name) + "=true|false (" + std::string(ToString(spec.stage)) +
         " - default=" + std::string(ToString(spec.on)) + ")";
}

}  // namespace

Result<FeatureGates> FeatureGates::Make(EffectiveVersion version, const flags::Multimap& settings) {
  FeatureGates gates(version);
  for (const auto& [component, list] : settings) {
    if (component.empty() && settings.contains(std::string(kKubeComponent))) {
      return Refuse(
          "set kube feature gates with default empty prefix or kube: prefix consistently, do not "
          "mix use");
    }
    if (!component.empty() && component != kKubeComponent) {
      return Refuse("component not registered: " + component);
    }
    FLYBALL_TRY(const auto wanted, ParseSettings(list));
    FLYBALL_TRY(gates.Set(wanted));
  }
  return gates;
}

Result<> FeatureGates::Set(const std::map<std::string, bool>& wanted) {
  for (const auto& [name, on] : wanted) {
    if (SpecsOf(name).empty()) return Refuse("unrecognized feature gate: " + name);
  }
  Problems problems;
  for (const auto& [name, on] : wanted) {
    const GateSpec spec = SpecAt(SpecsOf(name), version_);
    const std::string attempt =
        "cannot set feature gate " + name + " to " + std::string(ToString(on));
    if (spec.locked && spec.on != on) {
      problems.Add(attempt + ", feature is locked to " + std::string(ToString(spec.on)));
    } else if (spec.stage == GateStage::kPreAlpha) {
      problems.Add(attempt + ", feature is PreAlpha at emulated version " +
                   version_.emulated.ToString() + ", min compatibility version " +
                   version_.min_compatibility.ToString());
    } else {
      set_[name] = on;
      const bool going = spec.stage == GateStage::kGa || spec.stage == GateStage::kDeprecated;
      if (going) warnings_.push_back({.gate = name, .on = on, .stage = spec.stage});
    }
  }
  // Behind the named ones, which they leave alone.
  if (const auto all = set_.find(kAllAlpha); all != set_.end()) {
    SetAll(GateStage::kAlpha, all->second);
  }
  if (const auto all = set_.find(kAllBeta); all != set_.end()) {
    SetAll(GateStage::kBeta, all->second);
  }
  if (problems.empty()) {
    for (std::string& unmet : UnmetNeeds()) problems.Add(std::move(unmet));
  }
  if (!problems.empty()) return Refuse(problems.Text());
  return {};
}

void FeatureGates::SetAll(GateStage stage, bool on) {
  for (const std::span<const GateSpec> specs : AllGates()) {
    const GateSpec spec = SpecAt(specs, version_);
    if (spec.name == kAllAlpha || spec.name == kAllBeta || spec.stage != stage) continue;
    set_.try_emplace(std::string(spec.name), on);
  }
}

std::vector<std::string> FeatureGates::UnmetNeeds() const {
  std::vector<std::string> unmet;
  std::string_view last;
  for (const GateDependency& dependency : GateDependencies()) {
    if (!Enabled(dependency.gate) || Enabled(dependency.needed)) continue;
    if (last == dependency.gate) {
      unmet.back().insert(unmet.back().size() - 1, " " + std::string(dependency.needed));
      continue;
    }
    unmet.push_back(std::string(dependency.gate) +
                    " is enabled, but depends on features that are disabled: [" +
                    std::string(dependency.needed) + "]");
    last = dependency.gate;
  }
  return unmet;
}

bool FeatureGates::Enabled(std::string_view gate) const {
  if (const auto found = set_.find(gate); found != set_.end()) return found->second;
  const std::span<const GateSpec> specs = SpecsOf(gate);
  FLYBALL_CHECK(!specs.empty(), gate);
  return SpecAt(specs, version_).on;
}

std::vector<endpoints::FeatureState> FeatureGates::States() const {
  std::vector<endpoints::FeatureState> states;
  for (const std::span<const GateSpec> specs : AllGates()) {
    const GateSpec spec = SpecAt(specs, version_);
    if (spec.stage == GateStage::kPreAlpha) continue;
    states.push_back(
        {std::string(spec.name), std::string(ToString(spec.stage)), Enabled(spec.name)});
  }
  return states;
}

std::vector<std::string> FeatureGates::HelpLines() {
  const EffectiveVersion version;
  const EffectiveVersion strict = {version.emulated, version.emulated};
  std::vector<std::string> lines;
  for (const std::span<const GateSpec> specs : AllGates()) {
    const GateSpec usual = SpecAt(specs, version);
    const GateSpec best = SpecAt(specs, strict);
    std::string line = HelpLine(usual);
    if (best.min_compatibility != usual.min_compatibility) {
      line += (line.empty() ? "" : ", or ") + HelpLine(best) +
              " if --min-compatibility-version>=1." + std::to_string(best.min_compatibility);
    }
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace flyball::manager
