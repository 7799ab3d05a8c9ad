#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/base/clock.h"

/// The conditions of a job. It ends in two steps: first it says what it comes to
/// (SuccessCriteriaMet or FailureTarget), and when all its pods are counted and have ended, that it
/// has (Complete or Failed).
namespace flyball::controllers::job {

inline constexpr std::string_view kComplete = "Complete";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kSuspended = "Suspended";
inline constexpr std::string_view kSuccessCriteriaMet = "SuccessCriteriaMet";
inline constexpr std::string_view kFailureTarget = "FailureTarget";

/// One that is "True" from now on.
batch::v1::JobCondition TrueCondition(std::string_view type, std::string_view reason,
                                      std::string_view message, WallTime now);

/// The condition if it holds, else null.
const batch::v1::JobCondition* FindTrue(const std::vector<batch::v1::JobCondition>& conditions,
                                        std::string_view type);
bool IsFinished(const batch::v1::Job& job);

/// Puts a condition in place of the one of its type, or adds it. False if that changes nothing: all
/// but times are the same, or it would say that something is not that nobody said was.
bool SetCondition(std::vector<batch::v1::JobCondition>& conditions,
                  batch::v1::JobCondition condition);

}  // namespace flyball::controllers::job
