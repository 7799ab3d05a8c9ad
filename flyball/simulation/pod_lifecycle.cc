#include "flyball/simulation/pod_lifecycle.h"

#include <algorithm>
#include <utility>

#include "flyball/base/saturating.h"

namespace flyball::simulation {
namespace {

using std::chrono::nanoseconds;
using State = ContainerRun::State;
using Container = views::KubeletPod::Container;

// Kubelet's: of containers that end, and of images that cannot be had.
constexpr nanoseconds kFirstBackOff = std::chrono::seconds(10);
constexpr nanoseconds kLongestBackOff = std::chrono::minutes(5);
/// How long a failed pull is shown as such, before it is shown as one that is waited with.
constexpr nanoseconds kPullErrorShown = std::chrono::seconds(1);

constexpr std::int32_t kKilled = 137;

bool IsSubject(const Container& container, ContainerRole role, const PodScript& script) {
  if (script.subject.empty()) return role == ContainerRole::kMain;
  return container.name == script.subject;
}

/// Whether the last wait is so long ago that it does not count.
bool IsForgotten(const ContainerRun& run, WallTime now) {
  return now - run.backed_off > 2 * kLongestBackOff;
}

/// The next wait, as kubelet reckons it: double the last, from the start again after a long time.
void LengthenBackOff(ContainerRun& run, WallTime now) {
  const bool afresh = run.back_off == nanoseconds::zero() || IsForgotten(run, now);
  run.back_off = afresh ? kFirstBackOff : std::min(2 * run.back_off, kLongestBackOff);
  run.backed_off = now;
}

/// One pod on its way from one step to the next.
class Walk {
 public:
  Walk(PodRun& run, const views::KubeletPod& pod, const PodScript& script)
      : run_(run), pod_(pod), script_(script) {}

  /// Takes all steps that are due. Returns when the next one is.
  std::optional<WallTime> To(WallTime now) {
    for (;;) {
      const std::optional<WallTime> due = Due();
      if (!due || *due > now) return due;
      run_.last_step = std::max(run_.last_step, *due);
      Step();
    }
  }

 private:
  struct Part {
    ContainerRun& run;
    const Container& container;
    ContainerRole role;
  };

  std::vector<Part> Parts() {
    std::vector<Part> parts;
    parts.reserve(run_.init.size() + run_.main.size());
    for (std::size_t i = 0; i < run_.init.size(); ++i) {
      const Container& container = pod_.spec.initContainers[i];
      parts.push_back({run_.init[i], container, RoleOfInit(container)});
    }
    for (std::size_t i = 0; i < run_.main.size(); ++i) {
      parts.push_back({run_.main[i], pod_.spec.containers[i], ContainerRole::kMain});
    }
    return parts;
  }

  /// When the earliest of all that can happen does.
  std::optional<WallTime> Due() {
    if (run_.over) return std::nullopt;
    if (!run_.sandbox && !run_.stopping) {
      if (!run_.mounted) return std::nullopt;
      return SaturatingAdd(std::max(run_.accepted, *run_.mounted), script_.start);
    }
    if (NothingLeft()) return run_.last_step;
    std::optional<WallTime> earliest;
    for (const Part& part : Parts()) {
      const auto due = DueOf(part);
      if (due && (!earliest || *due < *earliest)) earliest = due;
    }
    return earliest;
  }

  /// Does what is due at the time that Due() gave.
  void Step() {
    const WallTime now = run_.last_step;
    if (!run_.sandbox && !run_.stopping) {
      run_.sandbox = now;
      return;
    }
    if (NothingLeft()) return End(now);
    for (const Part& part : Parts()) {
      if (const auto due = DueOf(part); due && *due <= now) return StepOf(part, now);
    }
  }

  std::optional<WallTime> DueOf(const Part& part) const {
    const ContainerRun& run = part.run;
    switch (run.state) {
      case State::kWaiting:
        if (run_.stopping || !MayStart(part)) return std::nullopt;
        return run_.last_step;
      case State::kPullFailed:
        if (run_.stopping) return std::nullopt;
        return run.since + kPullErrorShown;
      case State::kPullBackOff:
        if (run_.stopping) return std::nullopt;
        return run.backed_off + run.back_off;
      case State::kBackOff:
        if (run_.stopping) return std::nullopt;
        return run.since + run.back_off;
      case State::kRunning:
        return EndOf(part);
      case State::kExited:
        return std::nullopt;
    }
    return std::nullopt;
  }

  /// When a running container ends: by itself, or because it is told to.
  std::optional<WallTime> EndOf(const Part& part) const {
    std::optional<WallTime> end;
    if (const auto run_time = RunTimeOf(part)) {
      end = SaturatingAdd(part.run.since, *run_time);
    }
    if (run_.stopping) {
      const WallTime stopped = std::max(part.run.since, SaturatingAdd(*run_.stopping, StopTime()));
      end = end ? std::min(*end, stopped) : stopped;
    }
    return end;
  }

  std::optional<nanoseconds> RunTimeOf(const Part& part) const {
    if (IsSubject(part.container, part.role, script_)) {
      if (script_.runs_forever) return std::nullopt;
      if (script_.run_time) return script_.run_time;
    }
    if (part.role == ContainerRole::kInit) return script_.init;
    if (part.role == ContainerRole::kSidecar || PolicyOf(part) == "Always") return std::nullopt;
    return script_.run;
  }

  std::optional<nanoseconds> Grace() const {
    const auto& grace = pod_.metadata.deletionGracePeriodSeconds;
    if (!grace) return std::nullopt;
    return SaturatingNanoseconds(std::chrono::seconds(*grace));
  }
  nanoseconds StopTime() const { return std::min(script_.stop, Grace().value_or(script_.stop)); }
  bool HasToBeKilled() const { return Grace().has_value() && script_.stop >= *Grace(); }

  std::string_view PolicyOf(const Part& part) const {
    if (!part.container.restartPolicy.empty()) return part.container.restartPolicy;
    return pod_.spec.restartPolicy.empty() ? "Always" : pod_.spec.restartPolicy.view();
  }

  bool IsStartedAgain(const Part& part, std::int32_t exit_code) const {
    if (part.role == ContainerRole::kSidecar) return true;
    const std::string_view policy = PolicyOf(part);
    if (policy == "Never") return false;
    if (policy == "OnFailure" || part.role == ContainerRole::kInit) return exit_code != 0;
    return true;
  }

  /// Whether all is done that has to be done before a container: of those that come before it.
  bool MayStart(const Part& part) const {
    for (std::size_t i = 0; i < run_.init.size(); ++i) {
      const ContainerRun& before = run_.init[i];
      if (&before == &part.run) return true;
      const bool sidecar = RoleOfInit(pod_.spec.initContainers[i]) == ContainerRole::kSidecar;
      const bool done = sidecar ? before.started() : before.succeeded();
      if (!done) return false;
    }
    return true;
  }

  void StepOf(const Part& part, WallTime now) {
    ContainerRun& run = part.run;
    const bool pull_fails = script_.pull_fails && IsSubject(part.container, part.role, script_);
    if (run.running()) return Exit(part, now);
    if (run.state == State::kBackOff) {
      LengthenBackOff(run, now);
      Start(run, now);
    } else if (run.state == State::kPullFailed) {
      run.state = State::kPullBackOff;
      run.since = now;
    } else if (pull_fails) {
      LengthenBackOff(run, now);
      run.state = State::kPullFailed;
      run.since = now;
    } else {
      Start(run, now);
    }
  }

  static void Start(ContainerRun& run, WallTime now) {
    const bool again = run.ended.has_value();
    if (!again) run.back_off = {};  // that was of its image
    run.restarts += again ? 1 : 0;
    run.previous = std::exchange(run.ended, std::nullopt);
    run.state = State::kRunning;
    run.since = now;
  }

  void Exit(const Part& part, WallTime now) {
    ContainerRun& run = part.run;
    const auto run_time = RunTimeOf(part);
    const bool by_itself = run_time && SaturatingAdd(run.since, *run_time) <= now;
    const bool subject = IsSubject(part.container, part.role, script_);
    std::int32_t code = subject ? script_.exit_code : 0;
    if (!by_itself) code = HasToBeKilled() ? kKilled : 0;
    run.ended = Termination{.started = run.since, .finished = now, .exit_code = code};
    run.since = now;
    run.state = State::kExited;
    if (run_.stopping || !IsStartedAgain(part, code)) return;
    // The first time it is started again at once; kubelet waits from the second time on.
    if (run.back_off != nanoseconds::zero() && !IsForgotten(run, now)) {
      run.state = State::kBackOff;
      return;
    }
    LengthenBackOff(run, now);
    Start(run, now);
  }

  /// Whether nothing can happen to the pod any more but its end.
  bool NothingLeft() const {
    const bool any_running = std::ranges::any_of(run_.init, &ContainerRun::running) ||
                             std::ranges::any_of(run_.main, &ContainerRun::running);
    if (run_.stopping) return !any_running;
    return InitFailed() || std::ranges::all_of(run_.main, [](const ContainerRun& run) {
             return run.state == State::kExited;
           });
  }
  bool InitFailed() const {
    for (std::size_t i = 0; i < run_.init.size(); ++i) {
      if (RoleOfInit(pod_.spec.initContainers[i]) == ContainerRole::kSidecar) continue;
      if (run_.init[i].state == State::kExited && !run_.init[i].succeeded()) return true;
    }
    return false;
  }
  bool Initialized() const {
    for (std::size_t i = 0; i < run_.init.size(); ++i) {
      const ContainerRun& run = run_.init[i];
      const bool sidecar = RoleOfInit(pod_.spec.initContainers[i]) == ContainerRole::kSidecar;
      if (sidecar ? !run.started() : !run.succeeded()) return false;
    }
    return true;
  }

  /// All that is to be waited for has ended.
  void End(WallTime now) {
    const bool sidecars_run = std::ranges::any_of(run_.init, &ContainerRun::running);
    if (sidecars_run && !run_.stopping) {
      run_.stopping = now;
      return;
    }
    run_.over = true;
    // PARITY: of what never ran kubelet reports an end that it knows nothing of, unless the pod had
    // not come to it.
    if (!Initialized()) return;
    for (ContainerRun& run : run_.main) {
      if (!run.started()) run.ended = Termination{.exit_code = kKilled, .unknown = true};
      run.state = State::kExited;
    }
  }

  PodRun& run_;
  const views::KubeletPod& pod_;
  const PodScript& script_;
};

ContainerRun RunOf(const api::ViewList<views::KubeletPod::ContainerStatus>& statuses,
                   const Container& container, WallTime now) {
  ContainerRun run;
  const auto found = std::ranges::find_if(
      statuses, [&](const auto& status) { return status.name == container.name; });
  if (found == statuses.end()) return run;
  run.restarts = found->restartCount;
  if (const auto* running = found->state.running) {
    run.state = State::kRunning;
    run.since = running->startedAt.ToTime().ToWallTime();
  } else if (const auto* terminated = found->state.terminated) {
    run.state = State::kExited;
    run.since = terminated->finishedAt.ToTime().ToWallTime();
    run.ended = Termination{.started = terminated->startedAt.ToTime().ToWallTime(),
                            .finished = run.since,
                            .exit_code = terminated->exitCode};
  } else if (run.restarts > 0) {
    // It had ended, and was being waited with. How it ended, the cache does not say.
    run.state = State::kBackOff;
    run.since = now;
    run.ended = Termination{.started = now, .finished = now, .exit_code = 1};
    LengthenBackOff(run, now);
  }
  return run;
}

}  // namespace

ContainerRole RoleOfInit(const Container& container) {
  return container.restartPolicy == "Always" ? ContainerRole::kSidecar : ContainerRole::kInit;
}

bool IsReady(const ContainerRun& run, const Container& container, ContainerRole role,
             const PodScript& script, WallTime now) {
  if (role == ContainerRole::kInit) return run.succeeded();
  if (!run.running() || SaturatingAdd(run.since, script.ready) > now) return false;
  return !(script.never_ready && IsSubject(container, role, script));
}

PodRun Accept(const views::KubeletPod& pod, WallTime now) {
  PodRun run{.accepted = now, .last_step = now};
  const auto& status = pod.status;
  if (status.startTime) run.accepted = status.startTime->ToTime().ToWallTime();
  run.mounted = run.accepted;
  if (!status.podIP.empty()) run.sandbox = run.accepted;
  for (const Container& container : pod.spec.initContainers) {
    run.init.push_back(RunOf(status.initContainerStatuses, container, now));
  }
  for (const Container& container : pod.spec.containers) {
    run.main.push_back(RunOf(status.containerStatuses, container, now));
  }
  run.over = status.phase == "Succeeded" || status.phase == "Failed";
  return run;
}

PodProgress Advance(PodRun run, const views::KubeletPod& pod, const PodScript& script,
                    WallTime now) {
  if (!run.script) run.script = script;
  const bool deleted = pod.metadata.deletionTimestamp && !run.stopping;
  if (!run.over && (deleted || script != *run.script)) {
    // What happened before the node learned of it has happened.
    Walk(run, pod, *run.script).To(now);
    if (deleted && !run.over) run.stopping = run.stopping.value_or(now);
    run.last_step = std::max(run.last_step, now);
    run.script = script;
  }
  PodProgress progress{.run = std::move(run)};
  progress.next = Walk(progress.run, pod, script).To(now);
  const auto sooner = [&](const ContainerRun& container) {
    const WallTime ready = SaturatingAdd(container.since, script.ready);
    if (!container.running() || ready <= now) return;
    if (!progress.next || ready < *progress.next) progress.next = ready;
  };
  std::ranges::for_each(progress.run.init, sooner);
  std::ranges::for_each(progress.run.main, sooner);
  return progress;
}

}  // namespace flyball::simulation
