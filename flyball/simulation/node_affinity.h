#pragma once

#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/api/view.h"

namespace flyball::simulation {

/// Whether a node is one that a term asks for. A term that says nothing asks for none, and so does
/// one that makes no sense.
bool Matches(const core::v1::NodeSelectorTerm& term, std::string_view node_name,
             const api::ViewMap& labels);

/// Whether it is one that any of the terms asks for.
bool MatchesAny(const core::v1::NodeSelector& selector, std::string_view node_name,
                const api::ViewMap& labels);

}  // namespace flyball::simulation
