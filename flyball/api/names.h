#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "flyball/api/time.h"

/// The names that controllers and the API server make up. A manager that takes over must arrive at
/// the same ones, or it creates what is already there a second time.
namespace flyball::api {

/// What a name may be long: an object's in general (a DNS subdomain), and one that is also a label
/// or a host name.
inline constexpr std::size_t kMaxNameSize = 253;
inline constexpr std::size_t kMaxLabelSize = 63;
/// What is left of a generateName before its five random characters.
inline constexpr std::size_t kMaxGenerateNameSize = kMaxLabelSize - 5;

/// The text with each byte mapped to a letter or digit that spells no words: no vowels, nor digits
/// that look like them.
std::string SafeEncode(std::string_view text);

/// Random bits, as many as fit; a test's may be fixed.
using RandomBits = std::function<std::uint64_t()>;

/// What the API server makes of a generateName: the base, cut to kMaxGenerateNameSize, and five
/// random characters of SafeEncode()'s alphabet.
std::string GenerateName(std::string_view base, const RandomBits& random);

/// "<prefix>-<hash>", the prefix cut so that the whole is a name: of a Deployment's ReplicaSet, of
/// a Job's workload.
std::string NameWithHash(std::string_view prefix, std::string_view hash);

/// The same for a ControllerRevision of a StatefulSet.
// PARITY: cut at 223 bytes whatever the hash takes. A DaemonSet's is not cut at all.
std::string RevisionName(std::string_view prefix, std::string_view hash);

/// The Job of a CronJob for one moment of its schedule: "<name>-<minutes since 1970>", so that
/// creating it twice fails the second time.
std::string CronJobJobName(std::string_view cron_job, const Time& scheduled);

/// The generateName of a Job's pod with a completion index: "<job>-<index>-", the job's name cut so
/// that the index is never.
std::string IndexedPodGenerateName(std::string_view job, std::int64_t index);

/// The generateName of a ResourceClaim: "<pod>-<claim>-", both cut in proportion where the whole is
/// too long (and then without the last dash).
std::string ResourceClaimGenerateName(std::string_view pod, std::string_view claim);

}  // namespace flyball::api
