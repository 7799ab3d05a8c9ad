#pragma once

#include <string>
#include <string_view>

#include "flyball/api/policy/v1.h"
#include "flyball/api/views.h"

/// What people are told, in upstream's words.
namespace flyball::controllers::disruption {

/// As Go quotes it.
std::string Quoted(std::string_view text);

/// Of a budget that goes by scale, and covers pods that nobody controls.
std::string UnmanagedText(const policy::v1::PodDisruptionBudget& budget);
/// Of a pod that has not gone.
std::string NotDeletedText(const policy::v1::PodDisruptionBudget& budget);
/// Of a pod with several budgets, of which `budget` is the first.
std::string SeveralBudgetsText(const views::Pod& pod, std::string_view budget);

}  // namespace flyball::controllers::disruption
