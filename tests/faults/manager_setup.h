#pragma once

#include <string>
#include <vector>

#include "flyball/controllers/registry.h"

namespace flyball::faults {

/// For tests: nobody else has seen it.
inline constexpr const char* kSigningKey =
    "-----BEGIN EC PRIVATE KEY-----\n"
    "MHcCAQEEICTbXeVSv3xxaAlMS1pRDvyvzXEJAu/feKFqPnKASgj5oAoGCCqGSM49\n"
    "AwEHoUQDQgAER8UZLURWJE4+jR/K79oKoODprursFFKLWs7XdV8wT0nNZlec4M0c\n"
    "mRgFu8mfAhlNmm2b9HZol5OBBya9vdaxHA==\n"
    "-----END EC PRIVATE KEY-----\n";
inline constexpr const char* kRootCa =
    "-----BEGIN CERTIFICATE-----\nflyball\n-----END CERTIFICATE-----\n";

/// What a manager runs.
struct ManagerSetup {
  std::vector<const controllers::Entry*> controllers = {};
  controllers::Settings settings = {};

  /// All controllers of the registry.
  static ManagerSetup OfAll(controllers::Settings settings);
  /// What the program would run with these flags, with the key and the authority above.
  static Result<ManagerSetup> FromFlags(const std::vector<std::string>& flags);
};

}  // namespace flyball::faults
