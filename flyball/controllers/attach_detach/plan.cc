#include "flyball/controllers/attach_detach/plan.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace flyball::controllers::attach_detach {
namespace {

using api::Json;
using std::chrono::nanoseconds;
using Operation = VolumeMemory::Operation;
using Force = Detachment::Force;

/// How long a driver has to attach a volume before people are told that it takes long.
constexpr nanoseconds kAttachTime = std::chrono::minutes(2);
constexpr nanoseconds kFirstDelay = std::chrono::milliseconds(500);
constexpr nanoseconds kLongestDelay = std::chrono::seconds(122);
/// When the caches show how another node's attaching went.
constexpr nanoseconds kContention = std::chrono::seconds(1);

constexpr const char* kFailedAttach = "FailedAttachVolume";

std::string Message(const std::string& what, const Attachable& volume, const std::string& more) {
  return what + " for volume \"" + volume.title + "\" " + more;
}

common::PlannedEvent AttachSucceeded(const Attachable& volume) {
  return common::Normal("SuccessfulAttachVolume",
                        Message("AttachVolume.Attach succeeded", volume, ""));
}

common::PlannedEvent WaitsForDetach(const Attachable& volume, const std::string& why) {
  return common::Warning(kFailedAttach, Message("Waiting for detach", volume, why));
}

/// Of a node as the cache has it, and as the server does.
bool IsReady(const auto& node) {
  return std::ranges::any_of(node.status.conditions, [](const auto& condition) {
    return condition.type == "Ready" && condition.status == "True";
  });
}

bool IsOutOfService(const auto& node) {
  return std::ranges::any_of(node.spec.taints, [](const auto& taint) {
    return taint.key == "node.kubernetes.io/out-of-service";
  });
}

bool IsGoing(const VolumeAttachment& attachment) {
  return attachment.metadata.deletionTimestamp.has_value();
}

/// Names of pods in other namespaces are nobody's business.
std::string UsedBy(const std::vector<api::ObjectKey>& pods, std::string_view namespace_) {
  std::string names;
  std::size_t others = 0;
  for (const api::ObjectKey& pod : pods) {
    if (pod.namespace_ != namespace_) {
      ++others;
    } else {
      names.append(names.empty() ? "" : ", ").append(pod.name);
    }
  }
  const std::string rest = std::to_string(others) + " pod(s) in different namespaces";
  if (names.empty()) return "Volume is already used by " + rest;
  return "Volume is already used by pod(s) " + names + (others == 0 ? "" : " and " + rest);
}

/// Plans one node. What is said of a volume is put together in the end, as one patch.
class Planner {
 public:
  Planner(const NodeFacts& facts, const Rules& rules, SteadyTime now)
      : facts_(facts), rules_(rules), now_(now) {}

  Plan Make(const NodeMemory& memory) && {
    std::set<std::string_view> known;
    for (const VolumeFacts& volume : facts_.volumes) {
      known.insert(volume.volume.name);
      const auto before = memory.find(volume.volume.name);
      VolumeMemory its = before == memory.end() ? VolumeMemory() : before->second;
      volume.pods.empty() ? Release(volume, its) : Want(volume, its);
      if (its != VolumeMemory()) plan_.memory.emplace(volume.volume.name, its);
    }
    for (const auto& [name, its] : memory) {
      if (known.contains(name) || its.operation != Operation::kDetach) continue;
      if (const auto volume = AttachableNamed(name)) End(*volume, its, /*failed=*/false);
    }
    PutReport();
    return std::move(plan_);
  }

 private:
  void Want(const VolumeFacts& facts, VolumeMemory& memory) {
    memory.unwanted_since.reset();
    if (!facts.volume.HasDriver()) return WantReported(facts, memory);
    if (!facts.attachment) return WantAttachment(facts, memory);
    if (IsGoing(*facts.attachment)) return AwaitEnd(facts, memory);
    if (facts.attachment->status.attached) return Attached(facts, memory);
    if (rules_.compare) TakeBack(facts, memory);
    Await(facts, memory);
  }

  /// A volume that a node has for the telling.
  void WantReported(const VolumeFacts& facts, VolumeMemory& memory) {
    if (!facts.reported && !facts.held && IsBlocked(facts, memory)) return;
    Tell(facts, memory);
  }

  void WantAttachment(const VolumeFacts& facts, VolumeMemory& memory) {
    if (memory.operation == Operation::kDetach) {
      End(facts.volume, memory, /*failed=*/false);
      memory = {};
    }
    if (facts.reported) {
      if (!rules_.compare) {
        memory.told_of_success = true;
        return;
      }
      plan_.missing.push_back(AttachmentName(facts.volume, facts_.name));
      TakeBack(facts, memory);
    }
    if (IsBlocked(facts, memory) || Rests(memory)) return;
    Begin(memory, Operation::kAttach);
    plan_.attach.push_back(facts.volume);
    if (facts.volume.exclusive) plan_.begun.push_back(facts.volume.name);
  }

  /// It is wanted again, but its end has begun, and has to come first.
  void AwaitEnd(const VolumeFacts& facts, VolumeMemory& memory) {
    TakeBack(facts, memory);
    if (memory.operation != Operation::kDetach) Begin(memory, Operation::kDetach);
    const bool failed = facts.attachment->status.detachError.has_value();
    if (failed || now_ - memory.begun >= kAttachTime) {
      return Trouble(facts, memory, "volume attachment is being deleted");
    }
    LookAgain(memory.begun + kAttachTime - now_);
  }

  void Attached(const VolumeFacts& facts, VolumeMemory& memory) {
    if (memory.operation == Operation::kAttach) End(facts.volume, memory, /*failed=*/false);
    memory.operation = Operation::kNone;
    memory.failures = 0;
    Tell(facts, memory);
  }

  void Await(const VolumeFacts& facts, VolumeMemory& memory) {
    if (memory.operation != Operation::kAttach) Begin(memory, Operation::kAttach);
    if (const auto& error = facts.attachment->status.attachError) {
      return Trouble(facts, memory, error->message);
    }
    if (now_ - memory.begun >= kAttachTime) {
      return Trouble(facts, memory,
                     "timed out waiting for external-attacher of " + facts.volume.driver +
                         " CSI driver to attach volume " + facts.volume.handle);
    }
    LookAgain(memory.begun + kAttachTime - now_);
  }

  /// Whether nothing may be attached here yet.
  bool IsBlocked(const VolumeFacts& facts, VolumeMemory& memory) {
    if (facts.contended) {
      LookAgain(kContention);
      return true;
    }
    if (!facts.volume.exclusive || facts.elsewhere.empty()) return false;
    // DIVERGES: upstream goes ahead while another node is yet to let go of a volume, or may be, if
    // detaching has failed there once; whether the volume is then on two nodes is up to its driver.
    TellOfHolders(facts, memory);
    return true;
  }

  /// PARITY: once, and not of nodes that are just about to let go of it.
  void TellOfHolders(const VolumeFacts& facts, VolumeMemory& memory) {
    bool held = false;
    std::vector<api::ObjectKey> pods;
    for (const Elsewhere& other : facts.elsewhere) {
      if (!other.attached || (!other.in_use && other.pods.empty())) continue;
      held = true;
      pods.insert(pods.end(), other.pods.begin(), other.pods.end());
    }
    if (!held || memory.told_of_holder) return;
    memory.told_of_holder = true;
    for (const auto& pod : facts.pods) {
      plan_.events.push_back(
          {pod, WaitsForDetach(facts.volume,
                               pods.empty() ? "Volume is already exclusively attached to one node, "
                                              "waiting on detach before it can be attached to "
                                              "another node"
                                            : UsedBy(pods, pod->metadata.namespace_))});
    }
  }

  void Release(const VolumeFacts& facts, VolumeMemory& memory) {
    // What is begun for nobody is not gone on with, nor counted.
    const bool told = memory.told_of_success;
    if (memory.operation != Operation::kDetach) {
      memory = {.unwanted_since = memory.unwanted_since};
    }
    if (facts.kept) {
      // The volume stays attached, and people know: its node may only have lost its Node object.
      memory = {.told_of_success = told};
    } else if (facts.attachment && IsGoing(*facts.attachment)) {
      AwaitDetach(facts, memory);
    } else {
      // Where nothing is forced, a node that is gone has no time in which to let go of a volume. It
      // gets all of it when it is back.
      if (!facts_.node && !rules_.force) {
        memory.unwanted_since.reset();
      } else if (!memory.unwanted_since) {
        memory.unwanted_since = now_;
      }
      if (const auto force = MayDetach(facts, now_ - memory.unwanted_since.value_or(now_))) {
        Detach(facts, memory, *force);
      }
    }
  }

  void AwaitDetach(const VolumeFacts& facts, VolumeMemory& memory) {
    TakeBack(facts, memory);
    if (memory.operation != Operation::kDetach) Begin(memory, Operation::kDetach);
    if (!facts.attachment->status.detachError || memory.failures > 0) return;
    End(facts.volume, memory, /*failed=*/true);
    memory.failures = 1;
  }

  /// Nothing if it has to wait.
  std::optional<Force> MayDetach(const VolumeFacts& facts, nanoseconds unwanted) {
    const auto& node = facts_.node;
    const bool late = unwanted > kUnmountTime;
    const bool ready = node && IsReady(*node);
    if (facts.in_use && late && rules_.force && !ready) return Force::kTimeout;
    if (node && IsOutOfService(*node)) return Force::kOutOfService;
    // DIVERGES: upstream believes a kubelet that has just registered anew, and has not found yet
    // what it has mounted, that nothing is in use.
    const bool may_be_in_use = facts.was_in_use && !(late && (ready || rules_.force));
    if (!facts.in_use && !may_be_in_use) return Force::kNone;
    const bool ends = rules_.force || !facts.in_use;
    if (ends && !late) LookAgain(kUnmountTime - unwanted + std::chrono::milliseconds(1));
    return std::nullopt;
  }

  void Detach(const VolumeFacts& facts, VolumeMemory& memory, Force force) {
    if (Rests(memory)) return;
    TakeBack(facts, memory);
    if (facts.attachment) {
      if (memory.operation != Operation::kDetach) Begin(memory, Operation::kDetach);
      plan_.detach.push_back({facts.volume.name, facts.attachment, force});
    } else if (facts_.node) {
      Begin(memory, Operation::kDetach);
    } else {
      memory = {};
    }
    if (facts.held) plan_.release.push_back(facts.volume.name);
  }

  /// The node is told that it has the volume, and people that it has come.
  void Tell(const VolumeFacts& facts, VolumeMemory& memory) {
    if (!facts.reported) {
      added_.insert(facts.volume.name);
      if (!memory.told_of_success) {
        for (const auto& pod : facts.pods) {
          plan_.events.push_back({pod, AttachSucceeded(facts.volume)});
        }
      }
      if (!facts.volume.HasDriver()) {
        if (!memory.told_of_success) {
          Begin(memory, Operation::kAttach);
          End(facts.volume, memory, /*failed=*/false);
        }
        memory.operation = Operation::kNone;
        plan_.hold.push_back(facts.volume.name);
        if (facts.volume.exclusive) plan_.begun.push_back(facts.volume.name);
      }
    }
    memory.told_of_success = true;
  }

  /// The node is told that it has it no more.
  void TakeBack(const VolumeFacts& facts, VolumeMemory& memory) {
    memory.told_of_success = false;
    // Of what the status does not list, too: that the report is still true is what says that the
    // node does not use the volume.
    if (facts.reported || facts.held) removed_.insert(facts.volume.name);
  }

  void Trouble(const VolumeFacts& facts, VolumeMemory& memory, const std::string& why) {
    if (Rests(memory)) return;
    End(facts.volume, memory, /*failed=*/true);
    const nanoseconds delay = Failed(memory, now_);
    memory.begun = memory.next_try;
    for (const auto& pod : facts.pods) {
      plan_.events.push_back({pod, AttachFailed(facts.volume, why)});
    }
    LookAgain(delay);
  }

  /// Whether it is too early to try again.
  bool Rests(const VolumeMemory& memory) {
    if (memory.failures == 0 || now_ >= memory.next_try) return false;
    LookAgain(memory.next_try - now_);
    return true;
  }

  void Begin(VolumeMemory& memory, Operation operation) const {
    memory.operation = operation;
    memory.begun = now_;
  }
  void End(const Attachable& volume, const VolumeMemory& memory, bool failed) {
    plan_.ended.push_back({.plugin = volume.plugin,
                           .operation = memory.operation,
                           .failed = failed,
                           .migrated = volume.migrated,
                           .took = std::max(now_ - memory.begun, nanoseconds::zero())});
  }

  void LookAgain(nanoseconds after) { plan_.again = std::min(plan_.again.value_or(after), after); }

  void PutReport() {
    if (!facts_.node || (added_.empty() && removed_.empty())) return;
    Json::Array volumes;
    const auto add = [&](std::string_view name, std::string_view path) {
      volumes.push_back(
          Json::Object{{"devicePath", std::string(path)}, {"name", std::string(name)}});
    };
    // What others say there stays.
    for (const auto& attached : facts_.node->status.volumesAttached) {
      if (!removed_.contains(attached.name.view())) add(attached.name, attached.devicePath);
    }
    for (const std::string& name : added_) add(name, "");
    const bool none = volumes.empty();
    const std::string version(facts_.node->metadata.resourceVersion);
    plan_.report = Json::Object{
        {"metadata", Json::Object{{"resourceVersion", version}}},
        {"status", Json::Object{{"volumesAttached", none ? Json() : Json(std::move(volumes))}}}};
  }

  const NodeFacts& facts_;
  const Rules rules_;
  const SteadyTime now_;
  std::set<std::string, std::less<>> added_;
  std::set<std::string, std::less<>> removed_;
  Plan plan_;
};

}  // namespace

Plan PlanFor(const NodeFacts& facts, const NodeMemory& memory, const Rules& rules, SteadyTime now) {
  return Planner(facts, rules, now).Make(memory);
}

std::string Plan::ToString() const {
  std::string text;
  const auto add = [&](const std::string& what) { text.append(text.empty() ? "" : ", ") += what; };
  if (report) add("reports other volumes");
  for (const Detachment& one : detach) {
    add((one.force == Force::kNone ? "detaches " : "takes away ") + one.volume);
  }
  for (const Attachable& one : attach) add("attaches " + one.name);
  return text;
}

nanoseconds Failed(VolumeMemory& memory, SteadyTime now) {
  nanoseconds delay = kFirstDelay;
  for (int i = 0; i < memory.failures && delay < kLongestDelay; ++i) delay *= 2;
  delay = std::min(delay, kLongestDelay);
  ++memory.failures;
  memory.next_try = now + delay;
  return delay;
}

common::PlannedEvent AttachFailed(const Attachable& volume, const std::string& why) {
  return common::Warning(kFailedAttach, Message("AttachVolume.Attach failed", volume, ": " + why));
}

bool MayDetach(const Detachment& planned, const core::v1::Node& live) {
  if (planned.force == Force::kTimeout && !IsReady(live)) return true;
  if (planned.force == Force::kOutOfService && IsOutOfService(live)) return true;
  const auto& in_use = live.status.volumesInUse;
  return std::ranges::find(in_use, planned.volume) == in_use.end();
}

bool IsManaged(const views::Node& node) {
  return node.metadata.annotations.contains(
      "volumes.kubernetes.io/controller-managed-attach-detach");
}

bool SameToVolumes(const views::Node& before, const views::Node& now) {
  const auto same_volume = [](const auto& a, const auto& b) {
    return a.name == b.name && a.devicePath == b.devicePath;
  };
  return before.metadata.uid == now.metadata.uid && IsManaged(before) == IsManaged(now) &&
         IsReady(before) == IsReady(now) && IsOutOfService(before) == IsOutOfService(now) &&
         std::ranges::equal(before.status.volumesInUse, now.status.volumesInUse) &&
         std::ranges::equal(before.status.volumesAttached, now.status.volumesAttached, same_volume);
}

bool SameToNode(const VolumeAttachment& before, const VolumeAttachment& now) {
  return before.metadata.uid == now.metadata.uid && IsGoing(before) == IsGoing(now) &&
         before.spec == now.spec && before.status == now.status;
}

}  // namespace flyball::controllers::attach_detach
