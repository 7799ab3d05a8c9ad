#include "flyball/endpoints/trace_handler.h"

#include <string_view>
#include <utility>

#include "flyball/api/json.h"
#include "flyball/api/json_writer.h"
#include "flyball/api/time.h"
#include "flyball/endpoints/key_state.h"

namespace flyball::endpoints {
namespace {

using api::Json;
using runtime::ControllerTrace;
using runtime::ReconcileRecord;
using runtime::TracedWrite;

/// An object of which nothing is told that says nothing.
class Fields {
 public:
  Fields& Text(const char* name, std::string_view text) {
    if (!text.empty()) object_[name] = text;
    return *this;
  }
  Fields& Number(const char* name, std::int64_t number) {
    if (number != 0) object_[name] = number;
    return *this;
  }
  Fields& Seconds(const char* name, std::chrono::nanoseconds time) {
    if (time != time.zero()) object_[name] = std::chrono::duration<double>(time).count();
    return *this;
  }
  Fields& Time(const char* name, WallTime time) {
    return Text(name, api::MicroTime(time).ToString());
  }
  Fields& Value(const char* name, Json value) {
    object_[name] = std::move(value);
    return *this;
  }
  template <typename Values, typename ToJson>
  Fields& List(const char* name, const Values& values, ToJson to_json) {
    if (values.empty()) return *this;
    Json::Array list;
    for (const auto& value : values) list.push_back(to_json(value));
    return Value(name, std::move(list));
  }
  Json Take() { return std::move(object_); }

 private:
  Json::Object object_;
};

Json WriteJson(const TracedWrite& write) {
  Fields fields;
  fields.Text("verb", ToString(write.verb))
      .Text("resource", write.resource)
      .Text("subresource", write.subresource)
      .Text("name", write.name);
  if (write.times > 1) fields.Number("times", write.times);
  if (write.refused) fields.Text("reason", ToString(*write.refused)).Text("error", write.error);
  return fields.Take();
}

/// By the name of what each cache is of.
Json ReadsJson(const ReconcileRecord& record, const std::vector<runtime::CacheTrace>& caches) {
  Fields fields;
  for (std::size_t i = 0; i < std::min(record.reads.size(), caches.size()); ++i) {
    fields.Text(caches[i].resource.c_str(), record.reads[i]);
  }
  return fields.Take();
}

Json RecordJson(const ReconcileRecord& record, const std::vector<runtime::CacheTrace>& caches) {
  Fields fields;
  fields.Time("time", record.time).Seconds("took", record.took);
  if (record.times > 1) fields.Number("times", record.times).Time("since", record.since);
  fields.Text("cause", record.cause)
      .Number("causes", record.causes)
      .Value("reads", ReadsJson(record, caches))
      .List("decided", record.decided, [](const std::string& text) { return Json(text); })
      .List("writes", record.writes, WriteJson)
      .Number("writesLeftOut", record.writes_left_out)
      .Text("outcome", ToString(record.end))
      .Seconds("againIn", record.requeue_after)
      .Text("error", record.error);
  return fields.Take();
}

Json KeyJson(const runtime::KeyTrace& key, const std::vector<runtime::CacheTrace>& caches) {
  return Fields()
      .Text("key", key.now.key)
      .Text("state", StateName(key.now))
      .Seconds("inStateFor", key.now.since.value_or(std::chrono::nanoseconds{}))
      .Number("retries", key.now.retries)
      .Seconds("dueIn", key.now.due_in.value_or(std::chrono::nanoseconds{}))
      .List("turns", key.records,
            [&](const ReconcileRecord& record) { return RecordJson(record, caches); })
      .Take();
}

Json CacheJson(const runtime::CacheTrace& cache) {
  return Fields()
      .Text("resource", cache.resource)
      .Value("synced", cache.synced)
      .Text("resourceVersion", cache.resource_version)
      .Text("problem", cache.problem)
      .Take();
}

Json ControllerJson(const ControllerTrace& controller) {
  const auto queue_json = [&](const runtime::QueueTrace& queue) {
    return Fields()
        .Text("name", queue.name)
        .Text("resource", queue.resource)
        .List("keys", queue.keys, [&](const auto& key) { return KeyJson(key, controller.caches); })
        .Take();
  };
  return Fields()
      .Text("name", controller.name)
      .Value("running", controller.running)
      .List("caches", controller.caches, CacheJson)
      .List("queues", controller.queues, queue_json)
      .Take();
}

}  // namespace

std::string TraceText(const std::vector<ControllerTrace>& controllers, WallTime now) {
  const Json page =
      Fields().Time("now", now).List("controllers", controllers, ControllerJson).Take();
  std::string text;
  api::JsonWriter writer(text, 2);
  page.Send(writer);
  return text + "\n";
}

HttpHandler TraceHandler(runtime::TraceControllers trace, const Clock& clock) {
  return [trace = std::move(trace), &clock](const Call& call) {
    const runtime::TraceQuery query{.controllers = call.target.All("controller"),
                                    .keys = call.target.All("key")};
    return JsonText(200, TraceText(trace(query), clock.WallNow()));
  };
}

}  // namespace flyball::endpoints
