#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "flyball/sandbox/rest_strategy.h"

namespace flyball::sandbox {

/// The name of the class that an annotation makes the default one: of several the newest.
std::optional<std::string> DefaultClass(const StrategyContext& context, std::string_view collection,
                                        std::initializer_list<std::string_view> annotations);

}  // namespace flyball::sandbox
