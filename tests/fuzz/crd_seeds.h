#pragma once

#include <functional>
#include <string_view>

namespace flyball::crd {

/// Hands over CRDs to start from: those of tests/crds, in pieces of at most `longest` bytes, each
/// with one member of one version's spec or status.
void WriteCrdSeeds(std::size_t longest, const std::function<void(std::string_view)>& write);

}  // namespace flyball::crd
