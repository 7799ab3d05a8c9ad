#pragma once

#include <functional>
#include <string_view>

#include "flyball/api/autoscaling/v1.h"
#include "flyball/sandbox/writes.h"

namespace flyball::sandbox {

using OnScale = std::move_only_function<void(Answered<autoscaling::v1::Scale>)>;

/// A request to the scale of a custom object, which is kept in the object where its CRD says.
void ServeCustomScale(const Call& call, std::string_view verb, Objects& objects, Writes& writes,
                      OnScale done);

}  // namespace flyball::sandbox
