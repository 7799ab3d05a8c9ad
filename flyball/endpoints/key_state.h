#pragma once

#include <string_view>

#include "flyball/runtime/queue_report.h"

namespace flyball::endpoints {

/// Where a key is, in a word.
std::string_view StateName(const runtime::KeyReport& key);

}  // namespace flyball::endpoints
