#pragma once

#include <optional>
#include <string>

#include "flyball/api/object.h"
#include "flyball/base/clock.h"
#include "flyball/sandbox/apply/field_manager.h"
#include "flyball/sandbox/request.h"
#include "flyball/sandbox/resources.h"

/// Who owns which field of an object: kept with every write, and what server-side apply goes by.
namespace flyball::sandbox {

/// Brings the entries of `after` up to date; those of `before` are taken from it. A created object
/// has no `before`. Both are as they are stored; who writes is noted for what the resource serves.
void TrackFields(const Request& request, const Resource& resource, api::AnyObject* before,
                 api::AnyObject& after, WallTime now);

/// An apply, read.
struct ApplyRequest {
  api::Json object;
  apply::Writer writer;
  bool force = false;

  static StatusOr<ApplyRequest> Parse(const Request& request, const Kind& kind, WallTime now);
};

/// What the apply makes of an object, its entries included; nothing where it is what it was.
/// Refuses with the conflicts.
StatusOr<std::optional<api::AnyObject>> ApplyTo(const ApplyRequest& patch, const Request& request,
                                                const Resource& resource,
                                                const api::AnyObject* live);

}  // namespace flyball::sandbox
