#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "flyball/manager/gates/kube_version.h"

namespace flyball::manager {

enum class GateStage : std::uint8_t { kPreAlpha, kAlpha, kBeta, kGa, kDeprecated };

/// What a gate is from one release on.
struct GateSpec {
  std::string_view name;
  unsigned since;  ///< minor of 1.x; 0: always
  GateStage stage;
  bool on;              ///< unless somebody says otherwise
  bool locked = false;  ///< nobody may
  /// Only with --min-compatibility-version of at least 1.x; 0: with any.
  unsigned min_compatibility = 0;
};

/// All gates that a v1.37 manager knows, by name, and each gate's specs from old to new as far back
/// as can be emulated.
std::span<const GateSpec> KnownGateSpecs();

/// That `gate` cannot be on while `needed` is off.
struct GateDependency {
  std::string_view gate;
  std::string_view needed;
};
/// By gate, then by what it needs.
std::span<const GateDependency> GateDependencies();

}  // namespace flyball::manager
