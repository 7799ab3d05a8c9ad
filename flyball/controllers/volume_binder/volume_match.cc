#include "flyball/controllers/volume_binder/volume_match.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "flyball/api/label_selector.h"
#include "flyball/controllers/common/storage_size.h"

namespace flyball::controllers::volume_binder {
namespace {

using common::RequestOf;
using common::SizeOf;

/// A bit each.
using Modes = unsigned;
constexpr std::string_view kModes[] = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                       "ReadWriteOncePod"};
constexpr Modes kAllModes = (1U << std::size(kModes)) - 1;
constexpr unsigned kSizes = 65;

/// None if there is one among them that is not known here.
std::optional<Modes> ModesOf(const std::vector<std::string>& names) {
  Modes modes = 0;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(kModes, name);
    if (found == std::end(kModes)) return std::nullopt;
    modes |= 1U << (found - std::begin(kModes));
  }
  return modes;
}

/// Of two quantities the larger never has the smaller one of these.
unsigned SizeClass(const api::Quantity& size) {
  const std::int64_t bytes = size.Value();
  return bytes <= 0 ? 0 : static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(bytes)));
}

std::string AttributesOf(const auto& spec) { return spec.volumeAttributesClassName.value_or(""); }

/// What a claim and an unclaimed volume must have in common. Names have no spaces in them.
std::string Common(const auto& object) {
  return ClassOf(object) + " " + ModeOf(object) + " " + AttributesOf(object.spec);
}

std::string FreeKey(const std::string& common) { return "free " + common; }
std::string FreeKey(const std::string& common, Modes modes) {
  return FreeKey(common) + " " + std::to_string(modes);
}
std::string FreeKey(const std::string& common, Modes modes, unsigned size) {
  return FreeKey(common, modes) + " " + std::to_string(size);
}
std::string MeantKey(const std::string& space, const std::string& name) {
  return "meant " + space + "/" + name;
}

/// Those that have all of these, the fewest first.
std::vector<Modes> SupersetsOf(Modes modes) {
  std::vector<Modes> all;
  for (Modes candidate = modes; candidate <= kAllModes; ++candidate) {
    if ((candidate & modes) == modes) all.push_back(candidate);
  }
  std::ranges::sort(all, {}, [](Modes some) { return std::pair(std::popcount(some), some); });
  return all;
}

/// PARITY: what is meant for a claim need not be of its class, nor have the labels that it selects.
bool FitsAsMeant(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return IsMeantFor(volume, claim) && !volume.metadata.deletionTimestamp &&
         SizeOf(volume) >= RequestOf(claim) && ModeOf(volume) == ModeOf(claim) &&
         AttributesOf(volume.spec) == AttributesOf(claim.spec);
}

struct Wanted {
  std::string common;
  api::Quantity size;
  std::optional<api::Selector> selector;  ///< none: any
};

VolumeRef SmallestFree(const Wanted& wanted, Modes modes, const VolumesByKey& volumes) {
  VolumeRef best;
  if (!volumes.any(FreeKey(wanted.common, modes))) return best;
  for (unsigned size = SizeClass(wanted.size); size < kSizes && !best; ++size) {
    for (VolumeRef& volume : volumes.all(FreeKey(wanted.common, modes, size))) {
      const api::Quantity capacity = SizeOf(*volume);
      if (capacity < wanted.size) continue;
      if (wanted.selector && !wanted.selector->Matches(volume->metadata.labels)) continue;
      if (best) {
        const api::Quantity least = SizeOf(*best);
        if (least < capacity) continue;
        if (!(capacity < least) && best->metadata.name < volume->metadata.name) continue;
      }
      best = std::move(volume);
    }
  }
  return best;
}

}  // namespace

std::vector<std::string> MatchKeysOf(const PersistentVolume& volume) {
  if (const auto& claim = volume.spec.claimRef) return {MeantKey(claim->namespace_, claim->name)};
  const auto modes = ModesOf(volume.spec.accessModes);
  if (!modes || volume.metadata.deletionTimestamp || volume.status.phase != "Available") return {};
  const std::string common = Common(volume);
  return {FreeKey(common), FreeKey(common, *modes),
          FreeKey(common, *modes, SizeClass(SizeOf(volume)))};
}

Result<VolumeRef> FindMatch(const PersistentVolumeClaim& claim, bool delayed,
                            const VolumesByKey& volumes) {
  Wanted wanted{.common = Common(claim), .size = RequestOf(claim), .selector = {}};
  if (claim.spec.selector) {
    FLYBALL_TRY(wanted.selector, api::Selector::FromMessage(claim.spec.selector));
  }
  const auto asked = ModesOf(claim.spec.accessModes);
  if (!asked) return VolumeRef();
  auto meant = volumes.all(MeantKey(claim.metadata.namespace_, claim.metadata.name));
  std::erase_if(meant, [&](const VolumeRef& volume) { return !FitsAsMeant(*volume, claim); });
  std::ranges::sort(meant, {}, [](const VolumeRef& volume) { return volume->metadata.name; });
  const bool may_be_free = !delayed && volumes.any(FreeKey(wanted.common));
  if (meant.empty() && !may_be_free) return VolumeRef();
  for (const Modes modes : SupersetsOf(*asked)) {
    for (const VolumeRef& volume : meant) {
      if (ModesOf(volume->spec.accessModes) == modes) return volume;
    }
    if (!may_be_free) continue;
    if (auto volume = SmallestFree(wanted, modes, volumes)) return volume;
  }
  return VolumeRef();
}

std::optional<std::string> Misfit(const PersistentVolume& volume,
                                  const PersistentVolumeClaim& claim) {
  if (volume.metadata.deletionTimestamp) {
    return "the volume is marked for deletion \"" + volume.metadata.name + "\"";
  }
  // PARITY: in whole bytes, unlike where a volume is looked for.
  if (SizeOf(volume).Value() < RequestOf(claim).Value()) return "requested PV is too small";
  if (ClassOf(volume) != ClassOf(claim)) return "storageClassName does not match";
  if (AttributesOf(volume.spec) != AttributesOf(claim.spec)) {
    return "volumeAttributesClassName does not match";
  }
  if (ModeOf(volume) != ModeOf(claim)) return "incompatible volumeMode";
  const auto& offered = volume.spec.accessModes;
  const bool offers_all = std::ranges::all_of(claim.spec.accessModes, [&](const auto& mode) {
    return std::ranges::find(offered, mode) != offered.end();
  });
  if (!offers_all) return "incompatible accessMode";
  return std::nullopt;
}

}  // namespace flyball::controllers::volume_binder
