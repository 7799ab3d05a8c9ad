#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "flyball/api/views.h"
#include "flyball/base/clock.h"

/// What controllers ask of a pod's state.
namespace flyball::controllers::common {

/// It has neither finished nor been told to.
bool IsActive(const views::Pod& pod);
/// It has been told to end, and has not yet.
bool IsTerminating(const views::Pod& pod);
bool IsReady(const views::Pod& pod);

/// Since when a pod has been ready. None if it is not; zero if it does not say.
std::optional<api::ViewTime> ReadySince(const views::Pod& pod);

/// It has been ready for so long.
bool IsAvailable(const views::Pod& pod, std::int32_t min_ready_seconds, WallTime now);
/// How long it takes until a pod that is ready has been so for long enough. None for one that has
/// been, or that does not say since when it is ready.
std::optional<std::chrono::nanoseconds> AvailableIn(const views::Pod& pod,
                                                    std::int32_t min_ready_seconds, WallTime now);
/// How long it takes until the next of these has been ready for long enough; none if all have that
/// are ready. One that does not say since when it is ready is looked at now and then.
std::optional<std::chrono::nanoseconds> NextAvailable(
    std::span<const std::shared_ptr<const views::Pod>> pods, std::int32_t min_ready_seconds,
    WallTime now);

}  // namespace flyball::controllers::common
