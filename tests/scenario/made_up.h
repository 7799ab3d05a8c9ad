#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "flyball/api/json.h"
#include "flyball/base/clock.h"

/// What servers make up, so that no two say the same.
namespace flyball::scenario {

/// The text with another for each uid in it.
std::string ReplaceUids(std::string_view text,
                        const std::function<std::string(const std::string& uid)>& stand_in);

/// Whether it is a moment within two hours of now: of those that servers set by themselves none is
/// further away.
bool IsRecentMoment(const std::string& text, WallTime now);

/// Puts an object's managedFields into an order that does not depend on when each was written: of
/// those that applied, and of those that updated, servers tell the earlier second first.
void SortManagers(api::Json::Array& entries);

}  // namespace flyball::scenario
