#pragma once

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/refusal.h"

namespace flyball::sandbox {

FieldErrors CheckService(const core::v1::Service& service);
FieldErrors CheckServiceChange(const core::v1::Service& now, const core::v1::Service& before);

}  // namespace flyball::sandbox
