#pragma once

#include <set>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/api_status_error.h"

namespace flyball::sandbox {

/// What holds for any container; `volumes` are those that it may mount.
void CheckContainer(const core::v1::Container& container, const std::string& path,
                    const std::set<std::string>& volumes, FieldErrors& errors);
void CheckProbes(const core::v1::Container& container, const std::string& path,
                 FieldErrors& errors);
/// What only containers that keep running may have.
void CheckInitContainer(const core::v1::Container& container, const std::string& path,
                        FieldErrors& errors);
/// Adds the ports that a container takes on its node to those taken.
void CheckHostPorts(const core::v1::Container& container, const std::string& path,
                    std::set<std::string>& taken, FieldErrors& errors);

}  // namespace flyball::sandbox
