#pragma once

#include <string_view>

#include "flyball/sandbox/kinds/subresources.h"

namespace flyball::sandbox {

/// A request to the scale of a custom object, which is kept in the object where its CRD says.
void ServeCustomScale(const ResourceRequest& call, std::string_view verb, SubresourceDeps deps,
                      OnReply done);

}  // namespace flyball::sandbox
