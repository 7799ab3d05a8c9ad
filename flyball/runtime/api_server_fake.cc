#include "flyball/runtime/api_server_fake.h"

#include <deque>
#include <optional>
#include <ranges>

#include "flyball/api/envelope.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_patch.h"
#include "flyball/api/merge_patch.h"
#include "flyball/api/object.h"
#include "flyball/api/object_identity.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/registry.h"
#include "flyball/api/strategic_merge.h"
#include "flyball/api/time.h"
#include "flyball/base/check.h"

namespace flyball::runtime {

using api::Json;

/// A stream of events to one who watches.
struct FakeApiServer::Watcher final : transport::Exchange {
  Watcher(const Target& target, std::shared_ptr<transport::ResponseHandler> its_handler)
      : plural(target.plural), protobuf(target.protobuf), handler(std::move(its_handler)) {}

  void Cancel() override {
    // With the lock held a deterministic run goes on with this task: a stop callback may be what
    // calls this, and another task may be waiting for it to return.
    const MutexLock lock(mutex);
    const auto cancelled = std::exchange(handler, nullptr);
    if (cancelled) cancelled->OnEnd(Fail(ErrorCode::kCancelled, "given up"));
  }
  void Consumed(std::size_t) override {}

  /// Has a line told when it is time for it, in the order of these calls.
  static void TellAt(const std::shared_ptr<Watcher>& self, SteadyTime at, std::string line,
                     Executor& executor) {
    {
      const MutexLock lock(self->mutex);
      self->untold.emplace_back(at, std::move(line));
      if (std::exchange(self->telling, true)) return;
    }
    executor.Start("server/watch", [self, &executor] {
      while (const auto next = self->Next()) {
        executor.clock().SleepUntil(next->first);
        self->Tell(next->second);
      }
    });
  }

  std::optional<std::pair<SteadyTime, std::string>> Next() {
    const MutexLock lock(mutex);
    telling = !untold.empty();
    if (!telling) return std::nullopt;
    auto next = std::move(untold.front());
    untold.pop_front();
    return next;
  }

  void Tell(const std::string& line) {
    std::shared_ptr<transport::ResponseHandler> to;
    {
      const MutexLock lock(mutex);
      to = handler;
    }
    if (to) to->OnData(line);
  }

  const std::string plural;
  const bool protobuf;
  Mutex mutex;
  std::shared_ptr<transport::ResponseHandler> handler FLYBALL_GUARDED_BY(mutex);
  std::deque<std::pair<SteadyTime, std::string>> untold FLYBALL_GUARDED_BY(mutex);
  bool telling FLYBALL_GUARDED_BY(mutex) = false;
};

namespace {

class Over final : public transport::Exchange {
  void Cancel() override {}
  void Consumed(std::size_t) override {}
};

Json::Object& Members(Json& object) { return *object.If<Json::Object>(); }

Json::Object& MetadataOf(Json& object) { return Members(Members(object)["metadata"]); }

std::string_view TextAt(const Json& object, std::string_view part, std::string_view name) {
  const Json* const parent = object.Find(part);
  const Json* const member = parent == nullptr ? nullptr : parent->Find(name);
  const std::string* const text = member == nullptr ? nullptr : member->If<std::string>();
  return text == nullptr ? std::string_view() : *text;
}

/// What kind an object says it is of.
const api::TypeInfo& TypeOf(const Json& object) {
  const Json* const version = object.Find("apiVersion");
  const Json* const kind = object.Find("kind");
  FLYBALL_CHECK(version != nullptr && kind != nullptr, "an object that does not say its kind");
  const api::TypeInfo* const type =
      api::FindKind(*version->If<std::string>(), *kind->If<std::string>());
  FLYBALL_CHECK(type != nullptr, "an object of a kind that nobody knows");
  return *type;
}

std::string ProtobufOf(const Json& object) {
  const api::TypeInfo& type = TypeOf(object);
  const api::AnyObject typed = [&] {
    api::AnyObject decoded(type);
    FLYBALL_CHECK(api::DecodeJson(object.ToString(), type, decoded.get()), "not of its kind");
    return decoded;
  }();
  std::string bytes;
  FLYBALL_CHECK(api::EncodeProtobuf(typed.get(), type, bytes), "cannot be encoded");
  return bytes;
}

/// A field of a protobuf message that is bytes, a text or a message.
std::string Field(int number, std::string_view bytes) {
  std::string field(1, static_cast<char>(number << 3 | 2));
  std::size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) field += static_cast<char>((size & 0x7f) | 0x80);
  field += static_cast<char>(size);
  return field + std::string(bytes);
}

std::string ProtobufList(const Json& list) {
  std::string message = Field(1, Field(2, TextAt(list, "metadata", "resourceVersion")));
  for (const Json& item : *list.Find("items")->If<Json::Array>()) {
    message += Field(2, ProtobufOf(item));
  }
  return api::SealEnvelope("v1", "List", message);
}

}  // namespace

std::string FakeApiServer::Event::Encoded(bool protobuf) const {
  if (!protobuf) {
    Json::Object event;
    event["type"] = type;
    event["object"] = object;
    return Json(std::move(event)).ToString() + "\n";
  }
  const api::TypeInfo& kind = TypeOf(object);
  const std::string sealed = api::SealEnvelope(kind.ApiVersion(), kind.name, ProtobufOf(object));
  const std::string message = Field(1, type) + Field(2, Field(1, sealed));
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame += static_cast<char>(message.size() >> shift & 0xff);
  }
  return frame + message;
}

FakeApiServer::Target FakeApiServer::ParseTarget(const transport::Request& request) {
  const std::string_view target = request.target;
  Target parsed;
  const std::string_view accept = transport::FindHeader(request.headers, "accept");
  parsed.protobuf = accept.find("protobuf") != std::string_view::npos;
  const auto question = target.find('?');
  std::vector<std::string> parts;
  for (const auto part : std::views::split(target.substr(1, question - 1), '/')) {
    parts.emplace_back(part.begin(), part.end());
  }
  std::size_t at = parts[0] == "api" ? 2 : 3;
  if (parts[at] == "namespaces" && parts.size() > at + 2) {
    parsed.namespace_ = parts[at + 1];
    at += 2;
  }
  parsed.plural = parts[at];
  if (parts.size() > at + 1) parsed.name = parts[at + 1];
  if (parts.size() > at + 2) parsed.subresource = parts[at + 2];
  if (question == std::string_view::npos) return parsed;
  for (const auto pair : std::views::split(target.substr(question + 1), '&')) {
    const std::string_view text(pair.begin(), pair.end());
    const auto equals = text.find('=');
    parsed.query[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  return parsed;
}

std::shared_ptr<transport::Exchange> FakeApiServer::Send(
    transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) {
  const Target target = ParseTarget(request);
  if (target.query.contains("watch")) return Watch(target, handler);
  Answer answer;
  {
    MutexLock lock(mutex_);
    answer = Act(request, target);
  }
  if (request.method != "GET" && options_.lose_answer()) {
    handler->OnEnd(Fail(ErrorCode::kIo, "connection broke"));
  } else {
    const bool list = request.method == "GET" && target.name.empty();
    const bool protobuf = list && target.protobuf;
    handler->OnHead({answer.status,
                     {{"content-type",
                       protobuf ? "application/vnd.kubernetes.protobuf" : "application/json"}}});
    handler->OnData(protobuf ? ProtobufList(answer.body) : answer.body.ToString());
    handler->OnEnd({});
  }
  return std::make_shared<Over>();
}

FakeApiServer::Answer FakeApiServer::Act(const transport::Request& request, const Target& target) {
  if (request.method == "GET" && target.name.empty()) return ListAll(target);
  auto& objects = collections_[target.plural];
  const auto found = objects.find({target.namespace_, target.name});
  if (request.method == "POST" && target.name.empty()) {
    Json object = *Json::Parse(request.body);
    Json::Object& metadata = MetadataOf(object);
    if (const Json* prefix = metadata.find("generateName"); !metadata.contains("name")) {
      FLYBALL_CHECK(prefix != nullptr, "an object without a name");
      metadata["name"] = *prefix->If<std::string>() + std::to_string(++named_);
    }
    const std::string name = *metadata["name"].If<std::string>();
    if (objects.contains({target.namespace_, name})) return Refusal(409, "AlreadyExists");
    metadata["namespace"] = target.namespace_;
    metadata["uid"] = "uid-" + std::to_string(version_ + 1);
    return Store(std::move(object), target, "create");
  }
  if (found == objects.end()) return Refusal(404, "NotFound");
  if (request.method == "GET") return {200, found->second};
  if (request.method == "DELETE") return Delete(request, target, found->second);
  if (request.method == "PATCH") return Patch(request, target, found->second);
  if (target.subresource == "binding") return Bind(request, target, found->second);
  Json object = *Json::Parse(request.body);
  const auto identity = api::IdentityOf(object);
  if (!identity.resource_version.empty() &&
      identity.resource_version != api::IdentityOf(found->second).resource_version) {
    return Refusal(409, "Conflict");
  }
  return Store(std::move(object), target, "update");
}

FakeApiServer::Answer FakeApiServer::Patch(const transport::Request& request, const Target& target,
                                           const Json& object) {
  const std::string_view language = transport::FindHeader(request.headers, "content-type");
  if (language.starts_with("application/json-patch")) {
    auto patched = api::JsonPatch::Parse(request.body)->Apply(object);
    if (!patched) return Refusal(422, "Invalid");
    return Store(*std::move(patched), target, "patch");
  }
  const Json patch = *Json::Parse(request.body);
  const std::string_view uid = TextAt(patch, "metadata", "uid");
  if (!uid.empty() && uid != api::IdentityOf(object).uid) return Refusal(409, "Conflict");
  if (language.starts_with("application/merge-patch")) {
    return Store(api::ApplyMergePatch(object, patch), target, "patch");
  }
  auto patched = api::ApplyStrategicMergePatch(object, patch, TypeOf(object));
  if (!patched) return Refusal(422, "Invalid");
  return Store(*std::move(patched), target, "patch");
}

FakeApiServer::Answer FakeApiServer::Bind(const transport::Request& request, const Target& target,
                                          Json pod) {
  const Json binding = *Json::Parse(request.body);
  if (!TextAt(pod, "spec", "nodeName").empty()) return Refusal(409, "Conflict");
  Members(Members(pod)["spec"])["nodeName"] = TextAt(binding, "target", "name");
  return Store(std::move(pod), target, "bind");
}

FakeApiServer::Answer FakeApiServer::Delete(const transport::Request& request, const Target& target,
                                            Json object) {
  const Json options = request.body.empty() ? Json() : *Json::Parse(request.body);
  const std::string_view uid = TextAt(options, "preconditions", "uid");
  if (!uid.empty() && uid != api::IdentityOf(object).uid) return Refusal(409, "Conflict");
  const Json* const grace = options.Find("gracePeriodSeconds");
  const bool at_once = grace != nullptr && *grace == Json(0);
  // What runs on a node is the node's to end.
  if (target.plural != "pods" || at_once || TextAt(object, "spec", "nodeName").empty()) {
    return Remove(target);
  }
  Json::Object& metadata = MetadataOf(object);
  metadata["deletionTimestamp"] = api::Time(executor_.clock().WallNow()).ToString();
  metadata["deletionGracePeriodSeconds"] = grace == nullptr ? Json(30) : *grace;
  return Store(std::move(object), target, "delete");
}

FakeApiServer::Answer FakeApiServer::Store(Json object, const Target& target,
                                           std::string_view verb) {
  MetadataOf(object)["resourceVersion"] = std::to_string(++version_);
  const auto identity = api::IdentityOf(object);
  std::string line = std::string(verb) + " " + target.plural;
  if (verb == "patch" && !target.subresource.empty()) line += "/" + target.subresource;
  writes_.push_back(line + " " + target.namespace_ + "/" + std::string(identity.name));
  collections_[target.plural].insert_or_assign({target.namespace_, std::string(identity.name)},
                                               object);
  Publish(target.plural, verb == "create" ? "ADDED" : "MODIFIED", object);
  return {verb == "create" ? 201 : 200, std::move(object)};
}

FakeApiServer::Answer FakeApiServer::Remove(const Target& target) {
  auto taken = collections_[target.plural].extract({target.namespace_, target.name});
  Json object = std::move(taken.mapped());
  MetadataOf(object)["resourceVersion"] = std::to_string(++version_);
  writes_.push_back("delete " + target.plural + " " + target.namespace_ + "/" + target.name);
  Publish(target.plural, "DELETED", object);
  Json::Object status;
  status["kind"] = "Status";
  status["apiVersion"] = "v1";
  status["status"] = "Success";
  return {200, std::move(status)};
}

FakeApiServer::Answer FakeApiServer::ListAll(const Target& target) const {
  Json::Array items;
  if (const auto found = collections_.find(target.plural); found != collections_.end()) {
    for (const auto& [key, object] : found->second) {
      if (target.namespace_.empty() || target.namespace_ == key.first) items.push_back(object);
    }
  }
  Json::Object metadata;
  metadata["resourceVersion"] = std::to_string(version_);
  Json::Object list;
  list["kind"] = "List";
  list["apiVersion"] = "v1";
  list["metadata"] = std::move(metadata);
  list["items"] = std::move(items);
  return {200, std::move(list)};
}

FakeApiServer::Answer FakeApiServer::Refusal(int status, std::string reason) {
  Json::Object body;
  body["kind"] = "Status";
  body["apiVersion"] = "v1";
  body["status"] = "Failure";
  body["message"] = reason;
  body["reason"] = std::move(reason);
  body["code"] = status;
  return {status, std::move(body)};
}

void FakeApiServer::Publish(const std::string& plural, std::string_view type, const Json& object) {
  history_.push_back({version_, plural, std::string(type), object});
  for (const auto& watcher : watchers_) {
    if (watcher->plural != plural) continue;
    const SteadyTime at = executor_.clock().DeadlineAfter(options_.watch_delay);
    Watcher::TellAt(watcher, at, history_.back().Encoded(watcher->protobuf), executor_);
  }
}

std::shared_ptr<transport::Exchange> FakeApiServer::Watch(
    const Target& target, const std::shared_ptr<transport::ResponseHandler>& handler) {
  if (target.query.contains("sendInitialEvents")) {
    handler->OnHead({422, {}});
    handler->OnData(Refusal(422, "Invalid").body.ToString());
    handler->OnEnd({});
    return std::make_shared<Over>();
  }
  auto watcher = std::make_shared<Watcher>(target, handler);
  handler->OnHead({200,
                   {{"content-type", target.protobuf ? "application/vnd.kubernetes.protobuf"
                                                     : "application/json"}}});
  MutexLock lock(mutex_);
  const std::uint64_t from = std::stoull(target.query.at("resourceVersion"));
  for (const Event& event : history_) {
    if (event.version <= from || event.plural != target.plural) continue;
    handler->OnData(event.Encoded(target.protobuf));
  }
  watchers_.push_back(watcher);
  return watcher;
}

std::vector<std::string> FakeApiServer::writes() const {
  MutexLock lock(mutex_);
  return writes_;
}

std::vector<Json> FakeApiServer::List(const std::string& plural) const {
  MutexLock lock(mutex_);
  std::vector<Json> objects;
  if (const auto found = collections_.find(plural); found != collections_.end()) {
    for (const auto& [key, object] : found->second) objects.push_back(object);
  }
  return objects;
}

}  // namespace flyball::runtime
