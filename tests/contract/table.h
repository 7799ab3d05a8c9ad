#pragma once

#include <string>
#include <vector>

namespace flyball::contract {

using Row = std::vector<std::string>;

/// A table of this folder, without its heading. Every row has as many columns as that.
std::vector<Row> ReadTable(const std::string& name);

}  // namespace flyball::contract
