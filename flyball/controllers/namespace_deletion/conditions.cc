#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/time.h"
#include "flyball/controllers/namespace_deletion/plan.h"

// What the conditions of a namespace that goes say of an attempt to empty it.

namespace flyball::controllers::namespace_deletion {
namespace {

using core::v1::NamespaceCondition;
using core::v1::NamespaceStatus;

/// What a condition says.
struct Words {
  std::string_view reason;
  std::string message;
};

/// "2 a, 1 b" in the order of the texts, which keeps the message the same while nothing changes.
std::string Join(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  std::string joined;
  for (const std::string& text : texts) {
    if (!joined.empty()) joined += ", ";
    joined += text;
  }
  return joined;
}

std::string JoinCounts(const std::map<std::string, std::size_t>& counts, std::string_view link) {
  std::vector<std::string> texts;
  for (const auto& [name, count] : counts) {
    texts.push_back(name + std::string(link) + std::to_string(count) + " resource instances");
  }
  return Join(std::move(texts));
}

// Each says what is wrong, or nothing if all is well.

std::optional<Words> OfDiscovery(const Findings& findings) {
  if (!findings.discovery_failure) return std::nullopt;
  return Words{"DiscoveryFailed", findings.discovery_failure->message()};
}

/// Groups and versions come apart from the server, so that there is nothing to read wrongly.
std::optional<Words> OfParsing(const Findings& /*findings*/) { return std::nullopt; }

std::optional<Words> OfDeletion(const Findings& findings) {
  if (findings.failures.empty()) return std::nullopt;
  std::vector<std::string> texts;
  for (const Error& error : findings.failures) texts.push_back(error.message());
  return Words{"ContentDeletionFailed", "Failed to delete all resource types, " +
                                            std::to_string(findings.failures.size()) +
                                            " remaining: " + Join(std::move(texts))};
}

std::optional<Words> OfContent(const Findings& findings) {
  if (findings.remaining.empty()) return std::nullopt;
  return Words{"SomeResourcesRemain",
               "Some resources are remaining: " + JoinCounts(findings.remaining, " has ")};
}

std::optional<Words> OfFinalizers(const Findings& findings) {
  if (findings.finalizers.empty()) return std::nullopt;
  return Words{"SomeFinalizersRemain", "Some content in the namespace has finalizers remaining: " +
                                           JoinCounts(findings.finalizers, " in ")};
}

struct Condition {
  std::string_view type;
  std::optional<Words> (*problem)(const Findings&);
  std::string_view fine_reason;
  std::string_view fine_message;
};

constexpr Condition kConditions[] = {
    {"NamespaceDeletionDiscoveryFailure", OfDiscovery, "ResourcesDiscovered",
     "All resources successfully discovered"},
    {"NamespaceDeletionGroupVersionParsingFailure", OfParsing, "ParsedGroupVersions",
     "All legacy kube types successfully parsed"},
    {"NamespaceDeletionContentFailure", OfDeletion, "ContentDeleted",
     "All content successfully deleted, may be waiting on finalization"},
    {"NamespaceContentRemaining", OfContent, "ContentRemoved", "All content successfully removed"},
    {"NamespaceFinalizersRemaining", OfFinalizers, "ContentHasNoFinalizers",
     "All content-preserving finalizers finished"},
};

/// Puts a condition into a status. False if it is there as it is.
bool Set(NamespaceCondition wanted, NamespaceStatus& status) {
  const auto present = std::ranges::find(status.conditions, wanted.type, &NamespaceCondition::type);
  if (present == status.conditions.end()) {
    status.conditions.push_back(std::move(wanted));
    return true;
  }
  if (present->status == wanted.status) wanted.lastTransitionTime = present->lastTransitionTime;
  if (present->status == wanted.status && present->reason == wanted.reason &&
      present->message == wanted.message) {
    return false;
  }
  wanted.unknown_fields = present->unknown_fields;
  *present = std::move(wanted);
  return true;
}

}  // namespace

bool UpdateConditions(const Findings& findings, WallTime now, NamespaceStatus& status) {
  bool changed = false;
  for (const Condition& condition : kConditions) {
    const auto problem = condition.problem(findings);
    NamespaceCondition wanted;
    wanted.type = condition.type;
    wanted.status = problem ? "True" : "False";
    wanted.lastTransitionTime = api::Time(now).WholeSeconds();
    wanted.reason = problem ? problem->reason : condition.fine_reason;
    wanted.message = problem ? problem->message : std::string(condition.fine_message);
    changed = Set(std::move(wanted), status) || changed;
  }
  return changed;
}

}  // namespace flyball::controllers::namespace_deletion
