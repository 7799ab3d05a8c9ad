#pragma once

#include <string>
#include <string_view>

namespace flyball::serving {

/// A body as gzip packs it, from level 1, the quickest, to 9. Most clients are near: what is saved
/// beyond the first levels costs more than it is worth.
std::string Gzip(std::string_view text, int level = 1);

}  // namespace flyball::serving
