#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace flyball::sandbox {

/// How long a durability program goes on, and with what dice.
struct Rounds {
  int count = 10;
  std::uint64_t seed = 1;

  static Rounds Parse(int argc, char** argv) {
    Rounds rounds;
    for (int i = 1; i < argc; ++i) {
      const std::string_view argument = argv[i];
      if (argument.starts_with("--rounds=")) rounds.count = std::atoi(argv[i] + 9);
      if (argument.starts_with("--seed=")) rounds.seed = std::strtoull(argv[i] + 7, nullptr, 10);
    }
    return rounds;
  }
};

}  // namespace flyball::sandbox
