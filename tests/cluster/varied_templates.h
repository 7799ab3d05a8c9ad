#pragma once

#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"

namespace flyball::cluster {

/// Pod templates as people write them: with few of the members that there are and with many, with
/// defaults spelled out and left to the server, with numbers, quantities and texts that are written
/// in an unusual way. Whoever compares two of them has to know what the server makes of each.
///
/// Of `count` templates that are numbered from 0, each way to write something is in one at least.
/// The same number makes the same template.
core::v1::PodTemplateSpec VariedTemplate(int number, int count, const std::string& app,
                                         const std::string& image);

}  // namespace flyball::cluster
