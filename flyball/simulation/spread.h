#pragma once

#include <cstdint>
#include <string_view>

namespace flyball::simulation {

/// A number that looks random and always is the same for the same seed and texts.
inline std::uint64_t Mixed(std::uint64_t seed, std::string_view subject,
                           std::string_view what = {}) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ seed;
  for (const std::string_view text : {subject, what}) {
    for (const char byte : text) {
      hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
    hash = (hash ^ 0xff) * 0x100000001b3;  // "ab" and "c" are not "a" and "bc"
  }
  // The upper bits of the above hardly depend on the last bytes.
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

/// The same as a part of one, from 0 to just below 1.
inline double MixedPart(std::uint64_t seed, std::string_view subject, std::string_view what = {}) {
  return static_cast<double>(Mixed(seed, subject, what) >> 11) * 0x1p-53;
}

}  // namespace flyball::simulation
