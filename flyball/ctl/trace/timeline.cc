#include "flyball/ctl/trace/timeline.h"

#include <algorithm>
#include <cstdio>

#include "flyball/api/human_duration.h"
#include "flyball/api/time.h"
#include "flyball/base/saturating.h"
#include "flyball/base/stable_sort.h"

namespace flyball::ctl::trace {
namespace {

constexpr std::string_view kIndent = "                ";

std::string Ago(WallTime then, WallTime now) {
  return SpanText(std::max(SaturatingSubtract(now, then), std::chrono::nanoseconds(0))) + " ago";
}

/// "12:00:01.250".
std::string TimeOfDay(WallTime time) {
  const std::string text = api::MicroTime(time).ToString();  // 2026-11-16T12:00:01.250000Z
  return text.substr(11, 12);
}

/// "create 3 pods, the first web-x2", "update deployments.apps/status web".
std::string WriteText(const ReportedWrite& write) {
  std::string text = write.verb + " " + write.resource +
                     (write.subresource.empty() ? "" : "/" + write.subresource);
  if (!write.name.empty()) text += " " + write.name;
  if (write.times > 1) text += " and " + std::to_string(write.times - 1) + " more";
  return text;
}

std::string CauseText(const ReportedReconcile& reconcile) {
  std::string text = reconcile.cause.empty() ? "it was asked to look" : reconcile.cause;
  if (reconcile.causes > 1) text += ", and " + std::to_string(reconcile.causes - 1) + " more";
  return text;
}

std::string ReadText(const std::vector<ReportedRead>& reads) {
  std::string text;
  for (const ReportedRead& read : reads) {
    text += (text.empty() ? "" : ", ") + read.resource + " at " + read.version;
  }
  return text;
}

std::string NextText(const ReportedReconcile& reconcile) {
  if (reconcile.GaveUp()) return "gave up until something changes: " + reconcile.error;
  if (reconcile.Failed()) return "failed: " + reconcile.error;
  if (reconcile.outcome == "again") return "looks again after " + SpanText(reconcile.requeue_after);
  if (reconcile.outcome == "later") return "looks again, later and later";
  return "done until something changes";
}

void AddLine(std::string& text, std::string_view label, std::string_view what) {
  text.append(kIndent).append(label).append(" ").append(what).append("\n");
}

void AddReconcile(const ReportedReconcile& reconcile, std::string& text) {
  text += "  " + TimeOfDay(reconcile.time) + "  " + CauseText(reconcile) + "\n";
  if (reconcile.times > 1) {
    AddLine(text, "the same",
            std::to_string(reconcile.times) + " times since " + TimeOfDay(reconcile.since));
  }
  const std::string read = ReadText(reconcile.reads);
  if (!read.empty()) AddLine(text, "read", read);
  for (const std::string& decided : reconcile.decided) AddLine(text, "decided:", decided);
  for (const ReportedWrite& write : reconcile.writes) {
    if (write.refused) {
      AddLine(text, "could not", WriteText(write) + ": " + write.error);
    } else {
      AddLine(text, "did", WriteText(write));
    }
  }
  if (reconcile.writes_left_out > 0) {
    AddLine(text, "did", Counted(reconcile.writes_left_out, "write") + " more");
  }
  AddLine(text, "took", SpanText(reconcile.took) + "; " + NextText(reconcile));
}

/// What the key is at now.
std::string StateText(const ReportedKey& key) {
  if (key.state == "waiting") return "waits for its turn";
  if (key.state == "processing") return "is being looked at";
  if (key.state == "held") return "waits until the caches show what was written";
  if (key.due_in == key.due_in.zero()) return "nothing to do";
  return (key.retries > 0 ? "is tried again in " : "is looked at again in ") + SpanText(key.due_in);
}

void AddReconciles(const std::vector<KeyAtController>& keys, const std::string& title,
                   const TimelineOptions& options, std::string& text) {
  for (const KeyAtController& at : keys) {
    const auto& reconciles = at.key->reconciles;
    text += "\n" + title + ", by " + at.controller->name + "; now: " + StateText(*at.key) + "\n";
    const std::size_t told = std::min(reconciles.size(), options.reconciles);
    if (told < reconciles.size()) {
      text += "  (" + Counted(reconciles.size() - told, "earlier turn") + " left out: --turns)\n";
    }
    for (auto reconcile = reconciles.end() - static_cast<std::ptrdiff_t>(told);
         reconcile != reconciles.end(); ++reconcile) {
      AddReconcile(*reconcile, text);
    }
  }
}

/// Few controllers have turns of pods: what a pod is at is most of what there is to tell.
std::string PodText(const core::v1::Pod& pod, WallTime now) {
  std::string text = "\npod " + pod.metadata.name + ": " + pod.status.phase +
                     (IsReady(pod) ? ", ready" : ", not ready") +
                     (pod.spec.nodeName.empty() ? ", on no node" : ", on " + pod.spec.nodeName);
  if (pod.metadata.deletionTimestamp) text += ", being deleted";
  text += ", made " + Ago(pod.metadata.creationTimestamp.ToWallTime(), now) + "\n";
  for (const auto& container : pod.status.containerStatuses) {
    const auto& state = container.state;
    std::string at = state.running ? "running" : "not started";
    if (state.waiting) at = "waiting: " + state.waiting->reason;
    if (state.terminated) at = "ended with " + std::to_string(state.terminated->exitCode);
    text += "  container " + container.name + ": " + at +
            (container.restartCount > 0
                 ? ", restarted " + std::to_string(container.restartCount) + " times"
                 : "") +
            "\n";
  }
  return text;
}

}  // namespace

std::vector<const core::v1::Pod*> PodsToShow(const Chain& chain, std::size_t most) {
  std::vector<const core::v1::Pod*> pods;
  for (const core::v1::Pod& pod : chain.pods) pods.push_back(&pod);
  StableSort(pods, {}, [](const core::v1::Pod* pod) { return IsReady(*pod); });
  pods.resize(std::min(pods.size(), most));
  return pods;
}

std::string SpanText(std::chrono::nanoseconds span) {
  using std::chrono::microseconds;
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const auto text = [&](double value, const char* unit) {
    char buffer[32];
    const int size =
        std::snprintf(buffer, sizeof buffer, value < 10 ? "%.1f%s" : "%.0f%s", value, unit);
    return std::string(buffer, static_cast<std::size_t>(size));
  };
  const auto value = static_cast<double>(span.count());
  if (span < milliseconds(1)) return text(value / 1e3, "us");
  if (span < seconds(1)) return text(value / 1e6, "ms");
  if (span < seconds(10)) return text(value / 1e9, "s");
  return api::HumanDuration(span);
}

std::string RenderTimeline(const Observation& observation, const TimelineOptions& options) {
  std::string text;
  const Chain& chain = observation.chain;
  for (const Link* const link : chain.SetsAndOwners()) {
    const auto keys = KeysOf(observation, *link);
    AddReconciles(keys, link->Title(), options, text);
    if (keys.empty() && observation.controllers) {
      text += "\n" + link->Title() + ": no controller remembers it\n";
    }
  }
  for (const core::v1::Pod* const pod : PodsToShow(chain, options.pods)) {
    text += PodText(*pod, observation.now);
    AddReconciles(KeysOf(observation, *pod), "pod " + pod->metadata.name, options, text);
  }
  if (chain.pods.size() > options.pods) {
    text += "\n(" + Counted(chain.pods.size() - options.pods, "pod") + " left out: --pods)\n";
  }
  return text;
}

}  // namespace flyball::ctl::trace
