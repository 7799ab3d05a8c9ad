#include "flyball/ctl/trace/trace_report.h"

#include <utility>

#include "flyball/api/json.h"
#include "flyball/api/time.h"
#include "flyball/ctl/json_field.h"

namespace flyball::ctl::trace {
namespace {

using api::Json;

WallTime TimeAt(const Json& object, Path path) {
  const auto time = api::MicroTime::Parse(TextAt(object, path));
  return time ? time->ToWallTime() : WallTime();
}

std::chrono::nanoseconds SecondsAt(const Json& object, Path path) {
  const Json* const field = FieldAt(object, path);
  if (field == nullptr) return {};
  const auto* const fraction = field->If<double>();
  const std::chrono::duration<double> seconds(
      fraction != nullptr ? *fraction : static_cast<double>(NumberAt(object, path)));
  return std::chrono::round<std::chrono::nanoseconds>(seconds);
}

bool TruthAt(const Json& object, Path path) {
  const Json* const field = FieldAt(object, path);
  return field != nullptr && *field == Json(true);
}

std::uint32_t CountAt(const Json& object, Path path, std::uint32_t otherwise = 0) {
  return static_cast<std::uint32_t>(NumberAt(object, path, otherwise));
}

template <typename Value>
std::vector<Value> Each(const Json& object, Path path, Value (*read)(const Json& json)) {
  std::vector<Value> values;
  for (const Json& json : ListAt(object, path)) values.push_back(read(json));
  return values;
}

ErrorCode CodeOf(std::string_view name) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kIo); ++code) {
    if (ToString(static_cast<ErrorCode>(code)) == name) return static_cast<ErrorCode>(code);
  }
  return ErrorCode::kUnsupported;
}

ReportedWrite WriteOf(const Json& json) {
  ReportedWrite write{.verb = TextAt(json, {"verb"}),
                      .resource = TextAt(json, {"resource"}),
                      .subresource = TextAt(json, {"subresource"}),
                      .name = TextAt(json, {"name"}),
                      .times = CountAt(json, {"times"}, 1)};
  if (FieldAt(json, {"reason"}) != nullptr) {
    write.refused = CodeOf(TextAt(json, {"reason"}));
    write.error = TextAt(json, {"error"});
  }
  return write;
}

std::string TextOf(const Json& json) { return TextAt(json, {}); }

ReportedReconcile ReconcileOf(const Json& json) {
  ReportedReconcile reconcile{.time = TimeAt(json, {"time"}),
                              .took = SecondsAt(json, {"took"}),
                              .times = CountAt(json, {"times"}, 1),
                              .since = TimeAt(json, {"since"}),
                              .cause = TextAt(json, {"cause"}),
                              .causes = CountAt(json, {"causes"}),
                              .decided = Each(json, {"decided"}, TextOf),
                              .writes = Each(json, {"writes"}, WriteOf),
                              .writes_left_out = CountAt(json, {"writesLeftOut"}),
                              .outcome = TextAt(json, {"outcome"}),
                              .requeue_after = SecondsAt(json, {"againIn"}),
                              .error = TextAt(json, {"error"})};
  for (const auto& [resource, version] : MembersAt(json, {"reads"})) {
    reconcile.reads.push_back({std::string(resource), TextOf(version)});
  }
  return reconcile;
}

ReportedKey KeyOf(const Json& json) {
  return {.key = TextAt(json, {"key"}),
          .state = TextAt(json, {"state"}),
          .in_state_for = SecondsAt(json, {"inStateFor"}),
          .due_in = SecondsAt(json, {"dueIn"}),
          .retries = static_cast<int>(NumberAt(json, {"retries"})),
          .reconciles = Each(json, {"turns"}, ReconcileOf)};
}

ReportedQueue QueueOf(const Json& json) {
  return {.name = TextAt(json, {"name"}),
          .resource = TextAt(json, {"resource"}),
          .keys = Each(json, {"keys"}, KeyOf)};
}

ReportedCache CacheOf(const Json& json) {
  return {.resource = TextAt(json, {"resource"}),
          .synced = TruthAt(json, {"synced"}),
          .version = TextAt(json, {"resourceVersion"}),
          .problem = TextAt(json, {"problem"})};
}

ReportedController ControllerOf(const Json& json) {
  return {.name = TextAt(json, {"name"}),
          .running = TruthAt(json, {"running"}),
          .caches = Each(json, {"caches"}, CacheOf),
          .queues = Each(json, {"queues"}, QueueOf)};
}

}  // namespace

Result<std::vector<ReportedController>> ParseTraceReport(std::string_view text) {
  FLYBALL_TRY(const Json json, Json::Parse(text));
  if (FieldAt(json, {"now"}) == nullptr) {
    return Fail(ErrorCode::kMalformed, "response is not a trace of a controller manager");
  }
  return Each(json, {"controllers"}, ControllerOf);
}

}  // namespace flyball::ctl::trace
