#include "flyball/runtime/api_server_fake.h"

#include <deque>
#include <optional>
#include <ranges>

#include "flyball/api/object_identity.h"
#include "flyball/base/check.h"

namespace flyball::runtime {

using api::Json;

/// A stream of events to one who watches.
struct FakeApiServer::Watcher final : transport::Exchange {
  Watcher(std::string its_plural, std::shared_ptr<transport::ResponseHandler> its_handler)
      : plural(std::move(its_plural)), handler(std::move(its_handler)) {}

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

}  // namespace

FakeApiServer::Target FakeApiServer::ParseTarget(std::string_view target) {
  Target parsed;
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
  const Target target = ParseTarget(request.target);
  if (target.query.contains("watch")) return Watch(target, handler);
  Answer answer;
  {
    MutexLock lock(mutex_);
    answer = Act(request, target);
  }
  if (request.method != "GET" && options_.lose_answer()) {
    handler->OnEnd(Fail(ErrorCode::kIo, "connection broke"));
  } else {
    handler->OnHead({answer.status, {{"content-type", "application/json"}}});
    handler->OnData(answer.body.ToString());
    handler->OnEnd({});
  }
  return std::make_shared<Over>();
}

FakeApiServer::Answer FakeApiServer::Act(const transport::Request& request, const Target& target) {
  if (request.method == "GET" && target.name.empty()) return ListAll(target);
  auto& objects = collections_[target.plural];
  const auto found = objects.find({target.namespace_, target.name});
  if (request.method == "POST") {
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
  if (request.method == "DELETE") return Remove(target);
  Json object = *Json::Parse(request.body);
  const auto identity = api::IdentityOf(object);
  if (!identity.resource_version.empty() &&
      identity.resource_version != api::IdentityOf(found->second).resource_version) {
    return Refusal(409, "Conflict");
  }
  return Store(std::move(object), target, "update");
}

FakeApiServer::Answer FakeApiServer::Store(Json object, const Target& target,
                                           std::string_view verb) {
  MetadataOf(object)["resourceVersion"] = std::to_string(++version_);
  const auto identity = api::IdentityOf(object);
  writes_.push_back(std::string(verb) + " " + target.plural + " " + target.namespace_ + "/" +
                    std::string(identity.name));
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
  Json::Object event;
  event["type"] = type;
  event["object"] = object;
  history_.push_back({version_, plural, Json(std::move(event)).ToString() + "\n"});
  for (const auto& watcher : watchers_) {
    if (watcher->plural != plural) continue;
    const SteadyTime at = executor_.clock().DeadlineAfter(options_.watch_delay);
    Watcher::TellAt(watcher, at, history_.back().text, executor_);
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
  auto watcher = std::make_shared<Watcher>(target.plural, handler);
  handler->OnHead({200, {}});
  MutexLock lock(mutex_);
  const std::uint64_t from = std::stoull(target.query.at("resourceVersion"));
  for (const Event& event : history_) {
    if (event.version > from && event.plural == target.plural) handler->OnData(event.text);
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
