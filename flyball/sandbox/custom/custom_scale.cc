#include "flyball/sandbox/custom/custom_scale.h"

#include "flyball/api/autoscaling/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/sandbox/body.h"
#include "flyball/sandbox/custom/custom_version.h"
#include "flyball/sandbox/patching.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using api::Json;
using autoscaling::v1::Scale;

std::int32_t NumberAt(const JsonPath& path, const Json& object) {
  const Json* const found = path.FindFirst(object);
  const auto* const number = found != nullptr ? found->If<std::int64_t>() : nullptr;
  return number != nullptr ? static_cast<std::int32_t>(*number) : 0;
}

Result<Scale> ScaleIn(const Resource& resource, const AnyObject& object) {
  const Kind& kind = *resource.kind;
  FLYBALL_TRY(const Json tree, kind.ToJson(object));
  const CustomVersion::Scale& places = *resource.custom->scale;
  const meta::v1::ObjectMeta& metadata = kind.Metadata(object);
  Scale scale;
  scale.kind = "Scale";
  scale.apiVersion = "autoscaling/v1";
  scale.metadata.name = metadata.name;
  scale.metadata.namespace_ = metadata.namespace_;
  scale.metadata.uid = metadata.uid;
  scale.metadata.resourceVersion = metadata.resourceVersion;
  scale.metadata.creationTimestamp = metadata.creationTimestamp;
  scale.spec.replicas = NumberAt(places.spec_replicas, tree);
  scale.status.replicas = NumberAt(places.status_replicas, tree);
  const Json* const selector = places.selector ? places.selector->FindFirst(tree) : nullptr;
  if (selector != nullptr && selector->If<std::string>() != nullptr) {
    scale.status.selector = *selector->If<std::string>();
  }
  return scale;
}

StatusOr<AnyObject> WithScale(const Resource& resource, const AnyObject& before,
                              const Scale& scale) {
  const Kind& kind = *resource.kind;
  if (scale.spec.replicas < 0) {
    return std::unexpected(
        Invalid("autoscaling", "Scale", kind.Metadata(before).name,
                {FieldError::InvalidNumber("spec.replicas", scale.spec.replicas,
                                           "should be a non-negative integer")}));
  }
  FLYBALL_TRY(Json tree, kind.ToJson(before));
  if (!resource.custom->scale->spec_replicas.Put(tree, std::int64_t{scale.spec.replicas})) {
    return std::unexpected(Internal("the replicas of the object cannot be set"));
  }
  FLYBALL_TRY(AnyObject object, kind.FromJson(tree));
  // Who says which version was meant, means it.
  kind.Metadata(object).resourceVersion = scale.metadata.resourceVersion.empty()
                                              ? kind.Metadata(before).resourceVersion
                                              : scale.metadata.resourceVersion;
  return object;
}

/// What the request makes of the scale.
StatusOr<Scale> Asked(const ResourceRequest& call, std::string_view verb, const Kind& scales,
                      const Scale& before) {
  Scale asked = before;
  if (verb == "update") {
    asked = {};
    FLYBALL_TRY(ReadOptions(call.request, Scale::kType, &asked));
    return asked;
  }
  FLYBALL_TRY(const PatchKind patch, PatchKindOf(call.request, scales));
  if (patch == PatchKind::kApply) {
    return std::unexpected(UnsupportedMediaType("415: Unsupported Media Type"));
  }
  FLYBALL_TRY(const Json tree, api::ToJson(before));
  FLYBALL_TRY(const Json patched, ApplyPatch(patch, call.request.http.body, scales, tree));
  FLYBALL_TRY(asked, api::DecodeJson<Scale>(patched.ToString()));
  return asked;
}

}  // namespace

void ServeCustomScale(const ResourceRequest& call, std::string_view verb, SubresourceDeps deps,
                      OnReply done) {
  const ResourcePtr resource = call.resource;
  const auto give = [resource](const RecordPtr& record) -> StatusOr<Reply> {
    FLYBALL_TRY(Scale scale, ScaleIn(*resource, record->Decode()));
    return Reply::Of(std::move(scale));
  };
  if (verb == "get") {
    const RequestInfo& target = call.target();
    const auto record = deps.objects.Find(resource->collection, target.namespace_, target.name);
    if (record) return done(give(record));
    return done(std::unexpected(NotFound(resource->name(), target.name)));
  }
  const auto revise = [call, resource,
                       verb = std::string(verb)](const AnyObject& before) -> StatusOr<AnyObject> {
    static const Kind kScales(Scale::kType);
    FLYBALL_TRY(const Scale now, ScaleIn(*resource, before));
    FLYBALL_TRY(const Scale asked, Asked(call, verb, kScales, now));
    return WithScale(*resource, before, asked);
  };
  deps.writes.ReviseObject(call, revise, {},
                           [give, done = std::move(done)](StatusOr<Done> out) mutable {
                             if (!out) return done(std::unexpected(std::move(out).error()));
                             done(give(out->outcome.record));
                           });
}

}  // namespace flyball::sandbox
