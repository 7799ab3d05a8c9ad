#include "flyball/sandbox/discovery/served_groups.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <tuple>

namespace flyball::sandbox {
namespace {

/// By upstream's priorities.
constexpr std::string_view kGroupOrder[] = {
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "storagemigration.k8s.io",
};

std::size_t PlaceOf(std::string_view group) {
  return static_cast<std::size_t>(
      std::distance(std::begin(kGroupOrder), std::ranges::find(kGroupOrder, group)));
}

int TakeNumber(std::string_view& text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc()) text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// "v2beta1" as something that compares: stability, then the numbers. Anything else is worth less
/// than any version, and is told apart by its text.
struct Rank {
  int stability = -1;  // 0 alpha, 1 beta, 2 stable
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

Rank RankOf(std::string_view version) {
  if (!version.starts_with('v')) return {};
  version.remove_prefix(1);
  const int major = TakeNumber(version);
  if (major < 0) return {};
  if (version.empty()) return {2, major, 0};
  const bool beta = version.starts_with("beta");
  if (!beta && !version.starts_with("alpha")) return {};
  version.remove_prefix(beta ? 4 : 5);
  const int minor = TakeNumber(version);
  if (minor < 0 || !version.empty()) return {};
  return {beta ? 1 : 0, major, minor};
}

bool IsPreferred(const ServedVersion& a, const ServedVersion& b) {
  const Rank rank_a = RankOf(a.version);
  const Rank rank_b = RankOf(b.version);
  if (rank_a != rank_b) return rank_a > rank_b;
  return a.version < b.version;
}

template <typename T, typename Member>
T& FindOrAdd(std::vector<T>& all, Member member, const std::string& value) {
  const auto found = std::ranges::find(all, value, member);
  if (found != all.end()) return *found;
  all.push_back(T{value, {}});
  return all.back();
}

}  // namespace

const ServedVersion* ServedGroup::Find(std::string_view version) const {
  const auto found = std::ranges::find(versions, version, &ServedVersion::version);
  return found == versions.end() ? nullptr : &*found;
}

std::vector<ServedGroup> ServedGroups(const Resources& resources) {
  std::vector<ServedGroup> groups;
  for (const ResourcePtr& resource : resources.All()) {
    ServedGroup& group = FindOrAdd(groups, &ServedGroup::name, resource->kind->group());
    FindOrAdd(group.versions, &ServedVersion::version, resource->kind->version())
        .resources.push_back(resource);
  }
  std::ranges::sort(groups, {}, [](const ServedGroup& group) {
    return std::tuple(PlaceOf(group.name), std::string_view(group.name));
  });
  for (ServedGroup& group : groups) std::ranges::sort(group.versions, IsPreferred);
  return groups;
}

}  // namespace flyball::sandbox
