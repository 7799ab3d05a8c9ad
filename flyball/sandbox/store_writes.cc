#include "flyball/sandbox/store_writes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "flyball/api/copy.h"
#include "flyball/api/defaulting.h"
#include "flyball/sandbox/body.h"
#include "flyball/sandbox/conversion.h"
#include "flyball/sandbox/deletion.h"
#include "flyball/sandbox/managed_fields.h"
#include "flyball/sandbox/metadata_rules.h"
#include "flyball/sandbox/patching.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using meta::v1::DeleteOptions;

constexpr int kNamesTried = 8;

/// The namespace of the object must be the request's, if it says one.
StatusOr<> EnsureNamespaceMatches(const ResourceRequest& call, ObjectMeta& metadata) {
  const std::string& wanted = call.target().namespace_;
  if (metadata.namespace_.empty() || !call.resource->namespaced) {
    metadata.namespace_ = call.resource->namespaced ? wanted : "";
    return {};
  }
  if (metadata.namespace_ == wanted) return {};
  return std::unexpected(BadRequest(
      "the namespace of the provided object does not match the namespace sent on the request"));
}

StatusOr<> CheckName(const ResourceRequest& call, ObjectMeta& metadata) {
  const std::string& wanted = call.target().name;
  if (metadata.name == wanted) return {};
  if (metadata.name.empty()) {
    return std::unexpected(BadRequest("the name of the object (" + wanted +
                                      " based on URL) was undeterminable: name must be provided"));
  }
  return std::unexpected(BadRequest("the name of the object (" + metadata.name +
                                    ") does not match the name on the URL (" + wanted + ")"));
}

/// Whether the update is of the version that it was made from.
StatusOr<> CheckVersion(const ResourceRequest& call, const ObjectMeta& now,
                        const ObjectMeta& before) {
  const Kind& kind = *call.resource->stored;
  // A patch that changes it is refused as one of a field that does not change.
  if (call.request.http.method == "PUT" && !now.uid.empty() && now.uid != before.uid) {
    return std::unexpected(Conflict(call.resource->name(), before.name,
                                    "Precondition failed: UID in precondition: " + now.uid +
                                        ", UID in object meta: " + before.uid));
  }
  if (now.resourceVersion.empty() || now.resourceVersion == "0") {
    if (kind.facts().unconditional_update) return {};
    // PARITY: it names the resource where other refusals name the kind.
    return std::unexpected(Invalid(kind.group(), call.resource->plural, before.name,
                                   {FieldError::InvalidNumber("metadata.resourceVersion", 0,
                                                              "must be specified for an update")}));
  }
  if (now.resourceVersion == before.resourceVersion) return {};
  if (!std::ranges::all_of(now.resourceVersion, [](char c) { return c >= '0' && c <= '9'; })) {
    return std::unexpected(
        Unexplained("strconv.ParseUint: parsing \"" + now.resourceVersion + "\": invalid syntax"));
  }
  return std::unexpected(Conflict(call.resource->name(), before.name,
                                  "the object has been modified; please apply your changes to the "
                                  "latest version and try again"));
}

/// What came in, with its defaults, as what it is stored as.
AnyObject ToStored(const ResourceRequest& call, AnyObject object) {
  const Kind& kind = *call.resource->stored;
  api::ApplyDefaults(object);
  AnyObject stored = Convert(std::move(object), kind.type());
  if (kind.custom()) kind.Stamp(stored);
  StrategyOf(kind).ApplyLinkedDefaults(stored);
  return stored;
}

/// What is stored as the resource serves it; nothing where that is the same.
std::optional<AnyObject> ToServed(const ResourceRequest& call, const AnyObject& stored) {
  const api::TypeInfo& served = call.resource->kind->type();
  if (&stored.type() == &served) return std::nullopt;
  return Convert(api::Copy(stored), served);
}

/// There is one of that name already, though perhaps not for long.
ApiStatusError NameInUse(const ResourceRequest& call, const Record& current) {
  const AnyObject there = current.Decode();
  const ObjectMeta& metadata = call.resource->stored->Metadata(there);
  ApiStatusError refusal = AlreadyExists(call.resource->name(), metadata.name);
  if (!metadata.deletionTimestamp) return refusal;
  meta::v1::Status status = refusal.status();
  status.message = "object is being deleted: " + status.message;
  return ApiStatusError(std::move(status));
}

void Append(FieldErrors& errors, FieldErrors more) {
  for (FieldError& error : more) errors.push_back(std::move(error));
}

/// A status comes only through its subresource, and brings nothing else.
void ResetStatusOrSpec(const ResourceRequest& call, AnyObject& now, const AnyObject& before) {
  const std::string& subresource = call.target().subresource;
  // What other subresources bring is for the kind's strategy to know.
  if (!call.resource->has_status() || (!subresource.empty() && subresource != "status")) return;
  const Kind& kind = *call.resource->stored;
  if (subresource.empty()) return kind.CopyStatus(now, before);
  AnyObject merged = api::Copy(before);
  kind.CopyStatus(merged, now);
  ObjectMeta& metadata = kind.Metadata(merged);
  if (kind.custom() || kind.facts().status_alone) {
    metadata.managedFields = std::move(kind.Metadata(now).managedFields);
    metadata.resourceVersion = std::move(kind.Metadata(now).resourceVersion);
  } else {
    metadata = std::move(kind.Metadata(now));
  }
  now = std::move(merged);
}

/// A patch whose outcome is no object of the kind.
ApiStatusError DoesNotFit(const api::Json& patched, const std::string& why) {
  return Invalid("", "", "", {FieldError::Invalid("patch", patched.ToString(), why)});
}

RecordPtr WithVersion(const Record& record, const std::string& version) {
  AnyObject object = record.Decode();
  record.kind().Metadata(object).resourceVersion = version;
  return std::make_shared<const Record>(record.kind_ptr(), object);
}

FieldErrors CheckMetadata(const Resource& resource, const ObjectMeta& metadata) {
  FieldErrors errors =
      ValidateMetadata(metadata, resource.namespaced, StrategyOf(*resource.stored).names());
  if (!resource.kind->custom()) Append(errors, ValidateFinalizerNames(metadata));
  return errors;
}

}  // namespace

StatusOr<DeleteOptions> DeleteOptionsOf(const Request& request) {
  DeleteOptions options;
  const Query& query = request.target.query;
  if (const auto policy = query.Get("propagationPolicy"); !policy.empty()) {
    options.propagationPolicy = std::string(policy);
  }
  FLYBALL_TRY(options.gracePeriodSeconds, query.Number("gracePeriodSeconds"));
  if (query.Has("orphanDependents")) options.orphanDependents = query.IsTrue("orphanDependents");
  options.dryRun = query.All("dryRun");
  if (!request.http.body.empty()) options = {};
  FLYBALL_TRY(ReadOptions(request, DeleteOptions::kType, &options));
  FLYBALL_TRY(CheckDeleteOptions(options));
  return options;
}

StorageKey StoreWrites::KeyOf(const ResourceRequest& call) const {
  return {call.resource->collection,
          call.resource->namespaced ? call.target().namespace_ : std::string(), call.target().name};
}

StatusOr<> StoreWrites::CheckNamespace(const ResourceRequest& call, std::string_view name) const {
  if (!call.resource->namespaced) return {};
  const std::string& wanted = call.target().namespace_;
  const RecordPtr space = objects_.Find("namespaces", "", wanted);
  if (!space) return std::unexpected(NotFound({"", "namespaces"}, wanted));
  if (space->Field("status.phase") != "Terminating") return {};
  meta::v1::Status status = Forbidden(call.resource->name(), name,
                                      "unable to create new content in namespace " + wanted +
                                          " because it is being terminated")
                                .status();
  auto& cause = status.details->causes.emplace_back();
  cause.reason = "NamespaceTerminating";
  cause.message = "namespace " + wanted + " is being terminated";
  cause.field = "metadata.namespace";
  return std::unexpected(ApiStatusError(std::move(status)));
}

StatusOr<Step> StoreWrites::CreateStep(const ResourceRequest& call, const AnyObject& object,
                                       Named named, Owners owners) const {
  const Kind& kind = *call.resource->stored;
  const RestStrategy& strategy = StrategyOf(kind);
  const Write write{.resource = *call.resource,
                    .context = objects_,
                    .user = call.request.user,
                    .dry_run = call.DryRun(),
                    .named_here = named == Named::kHere};
  AnyObject made = api::Copy(object);
  ObjectMeta& metadata = kind.Metadata(made);
  // Whoever writes owns what they sent and what defaults made of it, not what the server adds.
  if (owners == Owners::kTracked) {
    TrackFields(call.request, *call.resource, nullptr, made, objects_.Now());
  }
  FLYBALL_TRY(strategy.Admit(made, write));
  if (call.resource->has_status() && !kind.facts().status_when_made) {
    kind.CopyStatus(made, AnyObject(kind.type()));
  }
  // PARITY: kinds that do not count keep what they are given.
  if (kind.facts().generations == Generations::kContent) metadata.generation = 1;
  strategy.Prepare(made, write);
  FieldErrors errors = CheckMetadata(*call.resource, metadata);
  Append(errors, strategy.Validate(made, write));
  if (!errors.empty()) {
    return std::unexpected(Invalid(kind.group(), kind.name(), metadata.name, errors));
  }
  return Step::Put(std::move(made));
}

void StoreWrites::Create(const ResourceRequest& call, OnDone done) {
  const Kind& kind = *call.resource->kind;
  const auto begin = [&]() -> StatusOr<Body> {
    FLYBALL_TRY(const auto validation, WriteOptionsOf(call.request));
    FLYBALL_TRY(Body body, ReadBody(call.request, kind, validation));
    ObjectMeta& metadata = kind.Metadata(body.object);
    FLYBALL_TRY(EnsureNamespaceMatches(call, metadata));
    if (!metadata.resourceVersion.empty()) {
      return std::unexpected(
          Unexplained("resourceVersion should not be set on objects to be created"));
    }
    FLYBALL_TRY(
        CheckNamespace(call, metadata.name.empty() ? metadata.generateName : metadata.name));
    body.object = ToStored(call, std::move(body.object));
    return body;
  };
  auto body = begin();
  if (!body) return done(std::unexpected(std::move(body).error()));
  CreateNamed(call, std::make_shared<Body>(*std::move(body)), kNamesTried, std::move(done));
}

void StoreWrites::CreateNamed(const ResourceRequest& call, std::shared_ptr<Body> body, int tries,
                              OnDone done) {
  const Kind& kind = *call.resource->stored;
  const ObjectMeta& given = kind.Metadata(body->object);
  const bool named_here = given.name.empty() && !given.generateName.empty();
  // Only what may need another name is needed again.
  auto object =
      std::make_shared<AnyObject>(named_here ? api::Copy(body->object) : std::move(body->object));
  ObjectMeta& metadata = kind.Metadata(*object);
  FillNew(metadata, objects_.Now(), objects_.random());
  StorageKey key{call.resource->collection, metadata.namespace_, metadata.name};
  const Named named = named_here ? Named::kHere : Named::kByRequest;
  const auto decide = [this, call, object, named](const RecordPtr& current) -> StatusOr<Step> {
    FLYBALL_TRY(Step step, CreateStep(call, *object, named, Owners::kTracked));
    if (current) return std::unexpected(NameInUse(call, *current));
    return step;
  };
  objects_.GuaranteedUpdate(
      {std::move(key), call.resource->stored, decide, call.DryRun()},
      [this, call, body = std::move(body), tries, named_here,
       done = std::move(done)](StatusOr<Outcome> outcome) mutable {
        if (outcome) return done(Done{*std::move(outcome), body->warnings});
        const auto& status = outcome.error().status();
        if (!named_here || status.reason != "AlreadyExists") {
          return done(std::unexpected(std::move(outcome).error()));
        }
        if (tries > 1) return CreateNamed(call, body, tries - 1, std::move(done));
        done(std::unexpected(NameTaken(call.resource->name(), status.details->name)));
      });
}

StatusOr<Step> StoreWrites::UpdateStep(const ResourceRequest& call, AnyObject before,
                                       AnyObject object, Owners owners) const {
  const Kind& kind = *call.resource->stored;
  const RestStrategy& strategy = StrategyOf(kind);
  const Write write{*call.resource, objects_, call.request.user, call.target().subresource,
                    call.DryRun()};
  object = ToStored(call, std::move(object));
  const ObjectMeta& old = kind.Metadata(before);
  FLYBALL_TRY(EnsureNamespaceMatches(call, kind.Metadata(object)));
  FLYBALL_TRY(CheckName(call, kind.Metadata(object)));
  FLYBALL_TRY(CheckVersion(call, kind.Metadata(object), old));
  ResetStatusOrSpec(call, object, before);
  ObjectMeta& metadata = kind.Metadata(object);
  KeepIdentity(metadata, old);
  if (owners == Owners::kTracked) {
    TrackFields(call.request, *call.resource, &before, object, objects_.Now());
  }
  FLYBALL_TRY(strategy.AdmitUpdate(object, before, write));
  strategy.PrepareUpdate(object, before, write);
  if (kind.facts().generations != Generations::kNone && kind.ContentDiffers(object, before)) {
    metadata.generation = old.generation + 1;
  }
  FieldErrors errors = CheckMetadata(*call.resource, metadata);
  Append(errors, ValidateMetadataUpdate(metadata, old));
  Append(errors, strategy.ValidateUpdate(object, before, write));
  if (!errors.empty()) {
    return std::unexpected(Invalid(kind.group(), kind.name(), metadata.name, errors));
  }
  if (IsDone(metadata) && strategy.MayBeRemoved(object)) return Step::Remove(std::move(object));
  return Step::Put(std::move(object));
}

void StoreWrites::ReviseObject(const ResourceRequest& call, Revise change,
                               std::vector<std::string> warnings, OnDone done) {
  auto version = std::make_shared<std::string>();
  const auto decide = [this, call, version,
                       change = std::move(change)](const RecordPtr& current) -> StatusOr<Step> {
    if (!current) return std::unexpected(NotFound(call.resource->name(), call.target().name));
    *version = current->resource_version();
    AnyObject before = current->Decode();
    const auto served = ToServed(call, before);
    FLYBALL_TRY(AnyObject object, change(served ? *served : before));
    return UpdateStep(call, std::move(before), std::move(object), Owners::kTracked);
  };
  objects_.GuaranteedUpdate({KeyOf(call), call.resource->stored, decide, call.DryRun()},
                            [warnings = std::move(warnings), version = std::move(version),
                             done = std::move(done)](StatusOr<Outcome> outcome) mutable {
                              if (!outcome)
                                return done(std::unexpected(std::move(outcome).error()));
                              // Nobody sees the version that it went with: it is shown as of the
                              // one before.
                              if (outcome->removed)
                                outcome->record = WithVersion(*outcome->record, *version);
                              done(Done{*std::move(outcome), std::move(warnings)});
                            });
}

void StoreWrites::Update(const ResourceRequest& call, OnDone done) {
  const Kind& kind = *call.resource->kind;
  const auto begin = [&]() -> StatusOr<Body> {
    FLYBALL_TRY(const auto validation, WriteOptionsOf(call.request));
    FLYBALL_TRY(Body body, ReadBody(call.request, kind, validation));
    FLYBALL_TRY(EnsureNamespaceMatches(call, kind.Metadata(body.object)));
    FLYBALL_TRY(CheckName(call, kind.Metadata(body.object)));
    return body;
  };
  auto begun = begin();
  if (!begun) return done(std::unexpected(std::move(begun).error()));
  auto body = std::make_shared<const Body>(*std::move(begun));
  if (kind.facts().create_on_update && call.target().subresource.empty() &&
      !objects_.Find(call.resource->collection, call.target().namespace_, call.target().name)) {
    if (const ObjectMeta& wanted = kind.Metadata(body->object); !wanted.uid.empty()) {
      return done(std::unexpected(Conflict(
          call.resource->name(), call.target().name,
          "Precondition failed: UID in precondition: " + wanted.uid + ", UID in object meta: ")));
    }
    // It is made as if it had been posted.
    if (auto there = CheckNamespace(call, call.target().name); !there) {
      return done(std::unexpected(std::move(there).error()));
    }
    Body fresh{api::Copy(body->object), body->warnings};
    kind.Metadata(fresh.object).resourceVersion.clear();
    fresh.object = ToStored(call, std::move(fresh.object));
    return CreateNamed(call, std::make_shared<Body>(std::move(fresh)), 1, std::move(done));
  }
  ReviseObject(
      call, [body](const AnyObject&) -> StatusOr<AnyObject> { return api::Copy(body->object); },
      body->warnings, std::move(done));
}

void StoreWrites::Patch(const ResourceRequest& call, OnDone done) {
  const Kind& kind = *call.resource->kind;
  const auto patch = PatchKindOf(call.request, kind);
  if (!patch) return done(std::unexpected(patch.error()));
  const auto validation = WriteOptionsOf(call.request);
  if (!validation) return done(std::unexpected(validation.error()));
  if (*patch == PatchKind::kApply) return Apply(call, std::move(done));
  auto warnings = std::make_shared<std::vector<std::string>>();
  const auto revise = [call, patch = *patch, validation = *validation,
                       warnings](const AnyObject& before) -> StatusOr<AnyObject> {
    const Kind& its = *call.resource->kind;
    FLYBALL_TRY(const api::Json tree, its.ToJson(before));
    FLYBALL_TRY(const api::Json patched, ApplyPatch(patch, call.request.http.body, its, tree));
    const api::Json* const said = patched.Find("kind");
    const api::Json* const version = patched.Find("apiVersion");
    if ((said != nullptr && *said != api::Json(its.name())) ||
        (version != nullptr && *version != api::Json(its.api_version()))) {
      return std::unexpected(DoesNotFit(patched, "it is of another kind"));
    }
    auto object = its.FromJson(patched);
    if (!object) return std::unexpected(DoesNotFit(patched, object.error().Describe()));
    FLYBALL_TRY(*warnings, DropUnknown(*object, its, validation, call.request.http.body));
    if (validation == FieldValidation::kStrict && !warnings->empty()) {
      return std::unexpected(DoesNotFit(patched, StrictError(*warnings)));
    }
    return *std::move(object);
  };
  ReviseObject(call, revise, {}, [warnings, done = std::move(done)](StatusOr<Done> out) mutable {
    if (out) out->warnings = *warnings;
    done(std::move(out));
  });
}

void StoreWrites::Apply(const ResourceRequest& call, OnDone done) {
  const auto patch = ApplyRequest::Parse(call.request, *call.resource->kind, objects_.Now());
  if (!patch) return done(std::unexpected(patch.error()));
  const auto validation = WriteOptionsOf(call.request);
  if (!validation) return done(std::unexpected(validation.error()));
  auto warnings = std::make_shared<std::vector<std::string>>();
  const auto decide = [this, call, patch = *patch, validation = *validation,
                       warnings](const RecordPtr& current) -> StatusOr<Step> {
    const Kind& kind = *call.resource->kind;
    // The managers know the fields of built-in kinds themselves.
    const auto hold = [&](AnyObject& object) -> StatusOr<> {
      if (!kind.custom()) return {};
      FLYBALL_TRY(*warnings, DropUnknown(object, kind, validation));
      if (validation != FieldValidation::kStrict || warnings->empty()) return {};
      return std::unexpected(BadRequest(StrictError(*warnings)));
    };
    if (current) {
      AnyObject before = current->Decode();
      const auto served = ToServed(call, before);
      const AnyObject& live = served ? *served : before;
      FLYBALL_TRY(auto applied, ApplyTo(patch, call.request, *call.resource, &live));
      if (!applied) return Step::Keep();
      FLYBALL_TRY(hold(*applied));
      return UpdateStep(call, std::move(before), *std::move(applied), Owners::kGiven);
    }
    if (!call.target().subresource.empty()) {
      return std::unexpected(NotFound(call.resource->name(), call.target().name));
    }
    FLYBALL_TRY(auto applied, ApplyTo(patch, call.request, *call.resource, nullptr));
    AnyObject object = *std::move(applied);
    FLYBALL_TRY(hold(object));
    FLYBALL_TRY(EnsureNamespaceMatches(call, kind.Metadata(object)));
    FLYBALL_TRY(CheckName(call, kind.Metadata(object)));
    FLYBALL_TRY(CheckNamespace(call, call.target().name));
    object = ToStored(call, std::move(object));
    FillNew(call.resource->stored->Metadata(object), objects_.Now(), objects_.random());
    return CreateStep(call, object, Named::kByRequest, Owners::kGiven);
  };
  objects_.GuaranteedUpdate({KeyOf(call), call.resource->stored, decide, call.DryRun()},
                            [warnings, done = std::move(done)](StatusOr<Outcome> outcome) mutable {
                              if (!outcome)
                                return done(std::unexpected(std::move(outcome).error()));
                              done(Done{*std::move(outcome), *warnings});
                            });
}

void StoreWrites::Delete(const ResourceRequest& call, OnDone done) {
  auto options = DeleteOptionsOf(call.request);
  if (!options) return done(std::unexpected(std::move(options).error()));
  DeleteOne(call, call.target().namespace_, call.target().name, *options, std::move(done));
}

void StoreWrites::DeleteOne(const ResourceRequest& call, const std::string& namespace_,
                            const std::string& name, const DeleteOptions& options, OnDone done) {
  const auto decide = [this, call, name, options](const RecordPtr& current) -> StatusOr<Step> {
    if (!current) return std::unexpected(NotFound(call.resource->name(), name));
    const Kind& kind = *call.resource->stored;
    const RestStrategy& strategy = StrategyOf(kind);
    AnyObject object = current->Decode();
    const Write write{*call.resource, objects_, call.request.user, {}, !options.dryRun.empty()};
    FLYBALL_TRY(strategy.AdmitDelete(object, write));
    FLYBALL_TRY(auto deletion, strategy.Delete(object, options, write));
    if (!deletion) {
      const auto grace = strategy.GracePeriod(object, options.gracePeriodSeconds);
      FLYBALL_TRY(deletion,
                  sandbox::Delete(kind, kind.Metadata(object), options, grace, objects_.Now()));
    }
    switch (deletion->result) {
      case DeletionResult::kNothing:
        return Step::Keep();
      case DeletionResult::kMarked:
        return Step::Put(std::move(object));
      case DeletionResult::kGone:
        break;
    }
    return Step::Remove(std::move(object));
  };
  objects_.GuaranteedUpdate({{call.resource->collection, namespace_, name},
                             call.resource->stored,
                             decide,
                             !options.dryRun.empty()},
                            [done = std::move(done)](StatusOr<Outcome> outcome) mutable {
                              if (!outcome)
                                return done(std::unexpected(std::move(outcome).error()));
                              done(Done{*std::move(outcome)});
                            });
}

}  // namespace flyball::sandbox
