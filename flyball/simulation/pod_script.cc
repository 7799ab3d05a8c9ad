#include "flyball/simulation/pod_script.h"

#include <charconv>
#include <limits>

#include "flyball/api/duration.h"
#include "flyball/simulation/annotations.h"
#include "flyball/simulation/spread.h"

namespace flyball::simulation {
namespace {

using std::chrono::nanoseconds;

/// How long a container that is to crash runs, where nobody says: kubelet sees it start.
constexpr nanoseconds kCrashesAfter = std::chrono::seconds(1);

/// Reads annotations of a pod; the first that makes no sense is the error.
class AnnotationReader {
 public:
  explicit AnnotationReader(const api::ViewMap& annotations) : annotations_(annotations) {}

  void Delay(std::string_view key, nanoseconds& delay) {
    const auto text = annotations_.find(key);
    if (!text) return;
    const auto parsed = api::ParseDuration(*text);
    if (!parsed || *parsed < nanoseconds::zero()) return Bad(key, *text, "a duration");
    delay = *parsed;
  }
  void Code(std::string_view key, std::int32_t& code) {
    const auto text = annotations_.find(key);
    if (!text) return;
    std::int32_t parsed = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), parsed);
    const bool whole = error == std::errc() && end == text->data() + text->size();
    if (!whole || parsed < 0 || parsed > 255) return Bad(key, *text, "an exit code");
    code = parsed;
  }
  /// Whether the annotation is there and has the one value that means something, and not the other.
  bool Is(std::string_view key, std::string_view value, std::string_view other) {
    const auto text = annotations_.find(key);
    if (!text) return false;
    if (*text != value && *text != other) Bad(key, *text, value);
    return *text == value;
  }
  std::optional<std::string_view> Text(std::string_view key) { return annotations_.find(key); }

  const Result<>& result() const { return result_; }

 private:
  void Bad(std::string_view key, std::string_view text, std::string_view wanted) {
    if (!result_) return;
    result_ = Fail(ErrorCode::kInvalid, "annotation " + std::string(key) + ": \"" +
                                            std::string(text) + "\" is not " + std::string(wanted));
  }

  const api::ViewMap& annotations_;
  Result<> result_;
};

}  // namespace

Result<PodScript> ScriptOf(const views::KubeletPod& pod, const Timings& timings) {
  const auto spread = [&](nanoseconds delay, std::string_view what) {
    if (timings.spread == 0) return delay;
    const double part = timings.spread * MixedPart(timings.seed, pod.metadata.uid, what);
    return delay +
           nanoseconds(static_cast<std::int64_t>(static_cast<double>(delay.count()) * part));
  };
  PodScript script{.start = spread(timings.start, "start"),
                   .init = spread(timings.init, "init"),
                   .ready = spread(timings.ready, "ready"),
                   .run = spread(timings.run, "run"),
                   .stop = spread(timings.stop, "stop")};
  if (pod.metadata.annotations.empty()) return script;

  AnnotationReader read(pod.metadata.annotations);
  read.Delay(kStartDelay, script.start);
  read.Delay(kReadyDelay, script.ready);
  read.Delay(kStopDelay, script.stop);
  script.subject = read.Text(kContainer).value_or("");
  script.never_ready = read.Is(kReady, "false", "true");
  script.pull_fails = read.Is(kImagePull, "error", "ok");
  if (read.Is(kCrash, "true", "false")) {
    script.run_time = kCrashesAfter;
    script.exit_code = 1;
  }
  read.Code(kExitCode, script.exit_code);
  if (script.exit_code != 0 && !script.run_time) script.run_time = kCrashesAfter;
  if (read.Text(kRunTime) == "forever") {
    script.runs_forever = true;
    script.run_time.reset();
  } else if (read.Text(kRunTime)) {
    script.run_time.emplace();
    read.Delay(kRunTime, *script.run_time);
  }
  FLYBALL_TRY(read.result());
  return script;
}

}  // namespace flyball::simulation
