#pragma once

#include "flyball/api/core/v1.h"

namespace flyball::controllers::common {

/// The pod that a controller makes of its template: what the template says, a name that begins with
/// the owner's, and the owner as its controller.
core::v1::Pod PodFromTemplate(const core::v1::PodTemplateSpec& template_,
                              const std::string& namespace_, const meta::v1::OwnerReference& owner);

}  // namespace flyball::controllers::common
