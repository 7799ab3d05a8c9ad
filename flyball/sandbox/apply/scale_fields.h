#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "flyball/sandbox/apply/manager_list.h"

/// Who owns the number of replicas when it is written by way of the scale subresource: managers of
/// the Scale object are made of those of the object that is scaled, and the other way round.
namespace flyball::sandbox::apply {

/// In each version of the scaled kind, the path of its replicas; an empty path where it cannot be
/// scaled.
using ReplicasPaths = std::map<std::string, Path, std::less<>>;

/// The managers that own the replicas, as managers of a Scale.
Result<Entries> EntriesOfScale(const Entries& entries, const ReplicasPaths& paths);

/// The managers of the scaled object after a write to its Scale left `scale_entries` there.
Result<Entries> EntriesAfterScale(const Entries& entries, const Entries& scale_entries,
                                  const ReplicasPaths& paths, std::string_view api_version);

}  // namespace flyball::sandbox::apply
