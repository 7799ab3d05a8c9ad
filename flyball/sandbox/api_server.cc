#include "flyball/sandbox/api_server.h"

#include <algorithm>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/api/duration.h"
#include "flyball/base/saturating.h"
#include "flyball/sandbox/authorization.h"
#include "flyball/sandbox/compression.h"
#include "flyball/sandbox/custom/custom_version.h"
#include "flyball/sandbox/discovery/discovery.h"
#include "flyball/sandbox/kinds/priority_classes.h"
#include "flyball/sandbox/response_encoder.h"
#include "flyball/sandbox/server_paths.h"
#include "flyball/sandbox/store_reads.h"
#include "flyball/sandbox/table.h"
#include "flyball/sandbox/watch_stream.h"

namespace flyball::sandbox {
namespace {

using transport::Exchange;
using transport::ResponseHandler;

/// An exchange that is over, or will be by itself.
class Unstoppable final : public Exchange {
  void Cancel() override {}
  void Consumed(std::size_t) override {}
};

std::shared_ptr<Exchange> Over() { return std::make_shared<Unstoppable>(); }

void Give(ResponseHandler& handler, Answer answer) {
  transport::Headers headers = std::move(answer.headers);
  headers.emplace_back("content-type", std::move(answer.content_type));
  headers.emplace_back("content-length", std::to_string(answer.body.size()));
  handler.OnHead({answer.status, std::move(headers)});
  if (!answer.body.empty()) handler.OnData(answer.body);
  handler.OnEnd({});
}

void Refuse(ResponseHandler& handler, const ApiStatusError& refusal,
            NegotiatedMediaType media_type) {
  Give(handler, Answer::Of(refusal, media_type));
}

/// What is wrong with a request whatever it asks for.
std::optional<ApiStatusError> ObjectionTo(const Request& request) {
  if (request.http.body.size() > ApiServer::kMaxBody) {
    return TooLarge("Request entity too large: limit is " + std::to_string(ApiServer::kMaxBody));
  }
  const Query& query = request.target.query;
  const std::string timeout(query.Get("timeout"));
  if (!timeout.empty() && !query.IsTrue("watch") && !api::ParseDuration(timeout)) {
    return BadRequest("invalid timeout specified in the request URL - time: invalid duration \"" +
                      timeout + "\"");
  }
  return std::nullopt;
}

bool IsIn(const User& user, std::string_view group) {
  return std::ranges::find(user.groups, group) != user.groups.end();
}

bool HasRights(const ResourceRequest& call) {
  return MayDoEverything(call.request.user.groups) || IsForEverybody(call.target().plural);
}

ApiStatusError NoRights(const ResourceRequest& call, std::string_view verb) {
  const RequestInfo& target = call.target();
  std::string what = target.plural;
  if (!target.subresource.empty()) what += "/" + target.subresource;
  std::string why = "User \"" + call.request.user.name + "\" cannot " + std::string(verb) +
                    " resource \"" + what + "\" in API group \"" + target.group + "\"";
  why += target.namespace_.empty() ? " at the cluster scope"
                                   : " in the namespace \"" + target.namespace_ + "\"";
  return Forbidden(call.resource->name(), target.name, why);
}

/// Has the answer say that a version of a resource is not to be used any more.
void WarnOfDeprecation(Answer& answer, const Resource& resource) {
  const std::string warning = resource.custom ? resource.custom->deprecation_warning
                                              : std::string(resource.kind->facts().deprecation);
  if (!warning.empty()) AddWarnings(answer, {warning});
}

meta::v1::Status Deleted(const Resource& resource, const RecordPtr& record) {
  meta::v1::Status status;
  status.kind = "Status";
  status.apiVersion = "v1";
  status.status = "Success";
  auto& details = status.details.emplace();
  details.name = record->Field("metadata.name");
  details.group = resource.kind->group();
  details.kind = resource.plural;
  details.uid = record->uid();
  return status;
}

/// PARITY: only where built-in resources are does a Status say that there is nothing.
Answer NothingThere(const RequestInfo& target, const Resources& resources,
                    NegotiatedMediaType media_type) {
  const auto part = [&](std::size_t i) {
    return i < target.path.size() ? std::string_view(target.path[i]) : std::string_view();
  };
  const auto built_in = [&](const ResourcePtr& resource) {
    return !resource->custom && resource->kind->group() == part(1);
  };
  if (part(0) == "api" || (part(0) == "apis" && std::ranges::any_of(resources.All(), built_in))) {
    return Answer::Of(NoSuchResource(), media_type);
  }
  return Answer::Text(404, "404 page not found\n");
}

}  // namespace

Result<std::unique_ptr<ApiServer>> ApiServer::Create(Deps deps, Options options) {
  FLYBALL_TRY(ServiceRanges::Check(options.services));
  auto resources = std::make_unique<Resources>();
  Storage::Options storage_options;
  storage_options.changes_kept = options.changes_kept;
  storage_options.folder = options.folder;
  storage_options.restore = [known = resources.get()](const StorageKey& key,
                                                      std::string bytes) -> Result<StoredPtr> {
    auto kind = known->StoredIn(key.collection);
    if (!kind) {
      FLYBALL_TRY(kind, CustomKindOf(bytes));
    }
    return Record::Restore(std::move(kind), std::move(bytes));
  };
  FLYBALL_TRY(auto storage, Storage::Open(deps.executor, storage_options, deps.log));
  auto server = std::unique_ptr<ApiServer>(
      new ApiServer(std::move(deps), std::move(options), std::move(resources), std::move(storage)));
  FLYBALL_TRY(server->Bootstrap());
  return server;
}

ApiServer::ApiServer(Deps deps, Options options, std::unique_ptr<Resources> resources,
                     std::unique_ptr<Storage> storage)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      resources_(std::move(resources)),
      storage_(std::move(storage)),
      objects_(*storage_, deps_.executor.clock(), options_.random, options_.services),
      writes_(objects_),
      tokens_(options_.random),
      authenticate_([this](std::string_view token, const std::vector<std::string>& audiences) {
        return FindUser(token, audiences);
      }),
      custom_(*resources_, objects_),
      open_api_(*resources_),
      fanout_(std::make_shared<WatchFanout>(deps_.executor)) {
  objects_.set_observer([this](const StorageKey& key, const Outcome& outcome) {
    if (custom_.OnChange(key, outcome)) EndOrphanedWatches();
  });
}

/// Counts a task for as long as it is there, also where it is dropped before it ran.
class ApiServer::TaskGuard {
 public:
  explicit TaskGuard(ApiServer& server) : server_(server) {
    const MutexLock lock(server_.mutex_);
    ++server_.tasks_;
  }
  ~TaskGuard() {
    const MutexLock lock(server_.mutex_);
    if (--server_.tasks_ == 0) server_.idle_.NotifyAll();
  }
  TaskGuard(const TaskGuard&) = delete;
  TaskGuard& operator=(const TaskGuard&) = delete;

 private:
  ApiServer& server_;
};

ApiServer::~ApiServer() {
  std::vector<std::weak_ptr<WatchStream>> watches;
  {
    const MutexLock lock(mutex_);
    watches.swap(watches_);
  }
  for (const auto& weak : watches) {
    const auto watch = weak.lock();
    if (!watch) continue;
    watch->End(Fail(ErrorCode::kIo, "the server ends"));
    watch->WaitUntilOver();
  }
  {
    MutexLock lock(mutex_);
    deps_.executor.clock().Wait(lock, idle_,
                                [this]() FLYBALL_REQUIRES(mutex_) { return tasks_ == 0; });
  }
  storage_.reset();  // answers who still waits for the disk, with what is still here
}

void ApiServer::EndOrphanedWatches() {
  std::vector<std::shared_ptr<WatchStream>> orphaned;
  {
    const MutexLock lock(mutex_);
    for (const auto& weak : watches_) {
      auto watch = weak.lock();
      if (!watch || !watch->resource().custom) continue;
      const Resource& its = watch->resource();
      if (!resources_->Find(its.kind->group(), its.kind->version(), its.plural)) {
        orphaned.push_back(std::move(watch));
      }
    }
  }
  for (const auto& watch : orphaned) watch->EndWhenSent();
}

void ApiServer::ForgetHistory() {
  for (const ResourcePtr& resource : resources_->All()) {
    storage_->Compact(resource->collection, storage_->revision());
  }
}

Result<> ApiServer::Bootstrap() {
  custom_.Load();
  // What is there from the start is there before the first request.
  Mutex mutex;
  CondVar changed;
  int unfinished = 0;
  Result<> outcome;
  const auto make = [&](const StorageKey& key, std::string_view group, auto object) {
    const auto resource =
        resources_->Find(group, "v1", key.collection.substr(key.collection.find('/') + 1));
    FillNew(object.metadata, objects_.Now(), options_.random);
    object.metadata.generation = resource->kind->facts().generations == Generations::kNone ? 0 : 1;
    api::AnyObject any(resource->kind->type());
    *static_cast<decltype(object)*>(any.get()) = std::move(object);
    const auto made = std::make_shared<api::AnyObject>(std::move(any));
    {
      const MutexLock lock(mutex);
      ++unfinished;
    }
    objects_.GuaranteedUpdate({key, resource->kind,
                               [made](const RecordPtr& current) -> StatusOr<Step> {
                                 if (current) return Step::Keep();
                                 return Step{Step::WriteKind::kPut, made};
                               }},
                              [&](const StatusOr<Outcome>& done) {
                                const MutexLock lock(mutex);
                                if (!done)
                                  outcome = Fail(ErrorCode::kIo, done.error().status().message);
                                if (--unfinished == 0) changed.NotifyAll();
                              });
  };
  for (const char* const name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    core::v1::Namespace space;
    space.metadata.name = name;
    space.metadata.labels["kubernetes.io/metadata.name"] = name;
    space.spec.finalizers = {"kubernetes"};
    space.status.phase = "Active";
    make({"namespaces", "", name}, "", std::move(space));
  }
  for (scheduling::v1::PriorityClass& each : SystemPriorityClasses()) {
    const std::string name = each.metadata.name;
    make({"scheduling.k8s.io/priorityclasses", "", name}, "scheduling.k8s.io", std::move(each));
  }
  MutexLock lock(mutex);
  deps_.executor.clock().Wait(lock, changed, [&] { return unfinished == 0; });
  return outcome;
}

/// The server, with somebody at its door whom it knows.
class ApiServer::UserTransport final : public transport::Transport {
 public:
  UserTransport(ApiServer& server, User user) : server_(server), user_(std::move(user)) {}
  std::shared_ptr<Exchange> Send(transport::Request request,
                                 std::shared_ptr<ResponseHandler> handler) override {
    return server_.Handle(std::move(request), user_, handler);
  }

 private:
  ApiServer& server_;
  const User user_;
};

std::unique_ptr<transport::Transport> ApiServer::As(User user) {
  return std::make_unique<UserTransport>(*this, std::move(user));
}

StatusOr<User> ApiServer::Authenticate(const transport::Request& request) const {
  if (request.peer) return User{request.peer->common_name, {}, request.peer->organizations};
  const std::string_view authorization = transport::FindHeader(request.headers, "authorization");
  constexpr std::string_view kBearer = "Bearer ";
  if (!authorization.starts_with(kBearer)) return std::unexpected(Unauthorized());
  const std::string_view token = authorization.substr(kBearer.size());
  auto user = FindUser(token, {std::string(kServerAudience)});
  if (!user) return std::unexpected(Unauthorized());
  return *std::move(user);
}

std::optional<User> ApiServer::FindUser(std::string_view token,
                                        const std::vector<std::string>& audiences) const {
  if (token.empty()) return std::nullopt;
  const auto account = std::ranges::find(options_.accounts, token, &Account::token);
  if (account != options_.accounts.end()) return account->user;
  return tokens_.Verify(token, objects_, audiences);
}

std::shared_ptr<Exchange> ApiServer::Send(transport::Request request,
                                          std::shared_ptr<ResponseHandler> handler) {
  const auto user = Authenticate(request);
  return Handle(std::move(request), user, handler);
}

std::shared_ptr<Exchange> ApiServer::Handle(transport::Request http, const StatusOr<User>& user,
                                            const HandlerPtr& handler) {
  if (http.fence && !http.fence->IsOpen()) {
    handler->OnEnd(Fail(ErrorCode::kUnavailable, http.fence->WhyClosed()));
    return Over();
  }
  auto parsed = RequestInfo::Parse(http.target);
  if (!user || !parsed) {
    Refuse(*handler, user ? parsed.error() : user.error(), {});
    return Over();
  }
  Request request{std::move(http), *std::move(parsed), *user};
  if (const auto name = request.Header("impersonate-user"); !name.empty()) {
    if (!IsIn(request.user, "system:masters")) {
      Refuse(*handler, Forbidden({"", "users"}, name, "only administrators act for others"), {});
      return Over();
    }
    request.user = {.name = std::string(name)};
    for (const auto& [header, value] : request.http.headers) {
      if (header == "impersonate-group") request.user.groups.push_back(value);
    }
  }
  if (const auto objection = ObjectionTo(request)) {
    Refuse(*handler, *objection, {});
    return Over();
  }
  if (auto answer = AnswerPath(request)) {
    Give(*handler, *std::move(answer));
    return Over();
  }
  const RequestInfo& target = request.target;
  auto resource = resources_->Find(target.group, target.version, target.plural);
  const auto media_type =
      NegotiatedMediaType::Choose(request, !resource || !resource->kind->custom());
  if (!media_type) {
    Refuse(*handler, media_type.error(), {});
  } else if (!resource) {
    Give(*handler, NothingThere(request.target, *resources_, *media_type));
  } else {
    return Serve({std::move(request), std::move(resource)}, *media_type, handler);
  }
  return Over();
}

std::optional<Answer> ApiServer::AnswerPath(const Request& request) {
  if (request.target.resource) return std::nullopt;
  auto answer = AnswerServerPath(request, *resources_);
  if (!answer) answer = AnswerDiscovery(request, *resources_);
  if (!answer) answer = open_api_.AnswerPath(request);
  if (!answer && options_.more_paths && MayDoEverything(request.user.groups)) {
    answer = options_.more_paths(request);
  }
  if (answer) {
    const std::string& method = request.http.method;
    if (method == "GET" || method == "HEAD") return answer;
    return Answer::Of(MethodNotAllowed(), {});
  }
  return NothingThere(request.target, *resources_, {});
}

std::shared_ptr<Exchange> ApiServer::Serve(const ResourceRequest& call,
                                           NegotiatedMediaType media_type,
                                           const HandlerPtr& handler) {
  const ResponseEncoder encoder(call.resource, media_type, deps_.executor.clock());
  const RequestInfo& target = call.target();
  const auto refuse = [&](const ApiStatusError& refusal) {
    Refuse(*handler, refusal, media_type);
    return Over();
  };
  const std::string_view verb = call.request.Verb();
  if (!HasRights(call)) return refuse(NoRights(call, verb));
  // Objects in namespaces can be listed and watched across them, and no more.
  if (call.resource->namespaced && target.namespace_.empty()) {
    if (!target.name.empty()) return refuse(NoSuchResource());
    if (verb == "create" || verb == "deletecollection") return refuse(MethodNotAllowed());
  }
  if (!call.resource->namespaced && !target.namespace_.empty()) return refuse(NoSuchResource());
  if (!target.subresource.empty()) {
    const auto* const subresource = call.resource->FindSubresource(target.subresource);
    if (subresource == nullptr) return refuse(NoSuchResource());
    if (std::ranges::find(subresource->verbs, verb) == subresource->verbs.end()) {
      return refuse(MethodNotAllowed());
    }
  } else if (verb.empty() || !call.resource->Allows(verb)) {
    return refuse(MethodNotAllowed());
  }
  if (const auto special = HandlerOf(*call.resource, target.subresource)) {
    special(call, verb, {objects_, writes_, tokens_, authenticate_}, Replying(media_type, handler));
    return Over();
  }
  if (!target.subresource.empty() &&
      !IsPartOfObject(*call.resource, *call.resource->FindSubresource(target.subresource))) {
    return refuse(NoSuchResource());
  }
  if (verb == "get") {
    auto answer = Get(call, encoder);
    if (!answer) return refuse(answer.error());
    Give(*handler, *std::move(answer));
    return Over();
  }
  if (verb == "list" || verb == "watch" || verb == "deletecollection") {
    return ServeCollection(call, encoder, handler);
  }
  auto done = Answering(call, encoder, handler);
  if (verb == "create") {
    writes_.Create(call, std::move(done));
  } else if (verb == "update") {
    writes_.Update(call, std::move(done));
  } else if (verb == "patch") {
    writes_.Patch(call, std::move(done));
  } else {
    writes_.Delete(call, std::move(done));
  }
  return Over();
}

std::shared_ptr<Exchange> ApiServer::ServeCollection(const ResourceRequest& call,
                                                     const ResponseEncoder& encoder,
                                                     const HandlerPtr& handler) {
  const std::string_view verb = call.request.Verb();
  if (verb == "watch") return Watch(call, encoder, handler);
  auto task_guard = std::make_unique<TaskGuard>(*this);
  deps_.executor.Start("server/list", [this, call, encoder, handler, list = verb == "list",
                                       task_guard = std::move(task_guard)] {
    list ? List(call, encoder, handler) : DeleteCollection(call, encoder, handler);
  });
  return Over();
}

OnDone ApiServer::Answering(const ResourceRequest& call, const ResponseEncoder& encoder,
                            const HandlerPtr& handler) const {
  return [call, encoder, handler](StatusOr<Done> done) {
    const NegotiatedMediaType media_type = encoder.media_type();
    if (!done) return Refuse(*handler, done.error(), media_type);
    const Outcome& outcome = done->outcome;
    Answer answer{outcome.created ? 201 : 200, media_type.ContentType()};
    const bool gone = call.request.http.method == "DELETE" && outcome.removed &&
                      !call.resource->kind->facts().returns_deleted;
    answer.body = gone ? EncodeResponse(Deleted(*call.resource, outcome.record), media_type)
                       : encoder.Object(outcome.record);
    AddWarnings(answer, done->warnings);
    WarnOfDeprecation(answer, *call.resource);
    Give(*handler, std::move(answer));
  };
}

OnReply ApiServer::Replying(NegotiatedMediaType media_type, const HandlerPtr& handler) const {
  return [this, media_type, handler](const StatusOr<Reply>& reply) {
    if (!reply) return Refuse(*handler, reply.error(), media_type);
    const auto table = media_type.form == Form::kTable
                           ? TableOf(reply->object.get(), *reply->type, objects_.Now())
                           : std::nullopt;
    Give(*handler, {reply->code, media_type.ContentType(),
                    table ? EncodeResponse(*table, media_type)
                          : EncodeResponse(reply->object.get(), *reply->type, media_type)});
  };
}

StatusOr<Answer> ApiServer::Get(const ResourceRequest& call, const ResponseEncoder& encoder) const {
  const RequestInfo& target = call.target();
  const auto record = objects_.Find(call.resource->collection, target.namespace_, target.name);
  if (!record) return std::unexpected(NotFound(call.resource->name(), target.name));
  Answer answer{200, encoder.media_type().ContentType(), encoder.Object(record)};
  CompressFor(call.request, answer);
  WarnOfDeprecation(answer, *call.resource);
  return answer;
}

void ApiServer::List(const ResourceRequest& call, const ResponseEncoder& encoder,
                     const HandlerPtr& handler) {
  const auto page = [&]() -> StatusOr<ListPage> {
    FLYBALL_TRY(const auto options, ListOptions::Parse(call.target().query, *call.resource->kind));
    return ListObjects(*storage_, call.resource->collection, call.target().namespace_, options);
  }();
  if (!page) return Refuse(*handler, page.error(), encoder.media_type());
  Answer answer{200, encoder.media_type().ContentType(), encoder.List(page->head, page->records)};
  CompressFor(call.request, answer);
  WarnOfDeprecation(answer, *call.resource);
  Give(*handler, std::move(answer));
}

std::shared_ptr<Exchange> ApiServer::Watch(const ResourceRequest& call,
                                           const ResponseEncoder& encoder,
                                           const HandlerPtr& handler) {
  const RequestInfo& target = call.target();
  const auto refuse = [&](const ApiStatusError& refusal) {
    Refuse(*handler, refusal, encoder.media_type());
    return Over();
  };
  const auto options = ListOptions::Parse(target.query, *call.resource->kind);
  if (!options) return refuse(options.error());
  const auto version = options->Version();
  if (!version) return refuse(version.error());
  WatchStream::Options stream{encoder, options->selection, {}, false, options->bookmarks, {}};
  if (options->timeout_seconds.value_or(0) > 0) {
    stream.end = deps_.executor.clock().DeadlineAfter(
        SaturatingNanoseconds(std::chrono::seconds(*options->timeout_seconds)));
  }
  Revision since = *version;
  // Without a version it begins with what is there, as it does when that is asked for.
  if (options->send_initial_events.value_or(since == 0)) {
    ListOptions all;
    all.selection = options->selection;
    all.resource_version = options->resource_version;
    auto page = ListObjects(*storage_, call.resource->collection, target.namespace_, all);
    if (!page) return refuse(page.error());
    stream.initial = std::move(page->records);
    stream.mark_initial_end = options->send_initial_events.has_value() && options->bookmarks;
    since = std::stoll(page->head.resource_version);
  } else if (since == 0) {
    since = storage_->revision();
  }
  auto watch = WatchStream::Start({deps_.executor.clock(), deps_.timers, *storage_, fanout_},
                                  call.resource->collection, target.namespace_, since,
                                  std::move(stream), handler);
  const MutexLock lock(mutex_);
  std::erase_if(watches_, [](const auto& each) { return each.expired(); });
  watches_.push_back(watch);
  return watch;
}

/// The deletions of a collection's objects. The last that ends answers: with what there was, or
/// with why one of them failed.
class ApiServer::Deletions {
 public:
  Deletions(HandlerPtr handler, NegotiatedMediaType media_type, std::size_t count, std::string list)
      : handler_(std::move(handler)),
        media_type_(media_type),
        list_(std::move(list)),
        left_(count) {}

  void Ended(const StatusOr<Done>& done) {
    {
      const MutexLock lock(mutex_);
      // What somebody else has deleted meanwhile is as gone as it was meant to be.
      if (!done && done.error().code() != 404 && !failure_) failure_ = done.error();
      if (--left_ > 0) return;
    }
    Finish();
  }

  void Finish() {
    const MutexLock lock(mutex_);
    if (failure_) return Refuse(*handler_, *failure_, media_type_);
    Give(*handler_, {200, media_type_.ContentType(), std::move(list_)});
  }

 private:
  const HandlerPtr handler_;
  const NegotiatedMediaType media_type_;
  Mutex mutex_;
  std::string list_ FLYBALL_GUARDED_BY(mutex_);
  std::size_t left_ FLYBALL_GUARDED_BY(mutex_);
  std::optional<ApiStatusError> failure_ FLYBALL_GUARDED_BY(mutex_);
};

void ApiServer::DeleteCollection(const ResourceRequest& call, const ResponseEncoder& encoder,
                                 const HandlerPtr& handler) {
  const auto page = [&]() -> StatusOr<ListPage> {
    FLYBALL_TRY(const auto options, ListOptions::Parse(call.target().query, *call.resource->kind));
    return ListObjects(*storage_, call.resource->collection, call.target().namespace_, options);
  }();
  if (!page) return Refuse(*handler, page.error(), encoder.media_type());
  const auto options = DeleteOptionsOf(call.request);
  if (!options) return Refuse(*handler, options.error(), encoder.media_type());
  const auto deletions = std::make_shared<Deletions>(
      handler, encoder.media_type(), page->records.size(), encoder.List(page->head, page->records));
  for (const RecordPtr& record : page->records) {
    writes_.DeleteOne(call, std::string(record->Field("metadata.namespace")),
                      std::string(record->Field("metadata.name")), *options,
                      [deletions](const StatusOr<Done>& done) { deletions->Ended(done); });
  }
  if (page->records.empty()) deletions->Finish();
}

}  // namespace flyball::sandbox
