#pragma once

#include <span>
#include <string>
#include <string_view>

#include "flyball/api/meta/v1.h"
#include "flyball/base/result.h"
#include "flyball/client/resource_client.h"

/// What the garbage collector changes of objects. Each in two languages where the server may know
/// only one: custom kinds take no strategic patches, and a list can then only be put whole, which
/// needs the version that it was read at.
namespace flyball::controllers::garbage_collector {

/// Without the references to these owners. The uid makes it miss another object of the name.
client::Patch WithoutOwners(std::string_view uid, std::span<const std::string> owners);
Result<client::Patch> WithoutOwnersWhole(const meta::v1::ObjectMeta& object,
                                         std::span<const std::string> owners);

/// No owner's deletion waits for the object.
Result<client::Patch> Unblocked(const meta::v1::ObjectMeta& object);
Result<client::Patch> UnblockedWhole(const meta::v1::ObjectMeta& object);

/// Fails on the server with a conflict if the object has changed since.
client::Patch WithoutFinalizer(const meta::v1::ObjectMeta& object, std::string_view finalizer);

}  // namespace flyball::controllers::garbage_collector
