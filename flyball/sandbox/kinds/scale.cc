#include <memory>
#include <string>
#include <utility>

#include "flyball/api/apps/v1.h"
#include "flyball/api/autoscaling/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/label_selector.h"
#include "flyball/sandbox/body.h"
#include "flyball/sandbox/kinds/subresources.h"
#include "flyball/sandbox/patching.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using autoscaling::v1::Scale;

std::string SelectorText(const api::Box<meta::v1::LabelSelector>& selector) {
  const auto parsed = api::Selector::FromMessage(selector);
  return parsed ? parsed->ToString() : "";
}
std::string SelectorText(const api::Map<std::string>& labels) {
  return api::Selector::FromLabels(labels).ToString();
}

template <typename T>
Scale ScaleOf(const T& object) {
  Scale scale;
  scale.metadata.name = object.metadata.name;
  scale.metadata.namespace_ = object.metadata.namespace_;
  scale.metadata.uid = object.metadata.uid;
  scale.metadata.resourceVersion = object.metadata.resourceVersion;
  scale.metadata.creationTimestamp = object.metadata.creationTimestamp;
  scale.spec.replicas = object.spec.replicas.value_or(1);
  scale.status.replicas = object.status.replicas;
  scale.status.selector = SelectorText(object.spec.selector);
  return scale;
}

const Kind& ScaleKind() {
  static const Kind kKind(Scale::kType);
  return kKind;
}

StatusOr<Scale> ReadScale(const ResourceRequest& call) {
  FLYBALL_TRY(const auto validation, WriteOptionsOf(call.request));
  FLYBALL_TRY(Body body, ReadBody(call.request, ScaleKind(), validation));
  Scale& scale = *static_cast<Scale*>(body.object.get());
  const std::string& wanted = call.target().name;
  if (scale.metadata.name != wanted && !scale.metadata.name.empty()) {
    return std::unexpected(BadRequest("the name of the object (" + scale.metadata.name +
                                      ") does not match the name on the URL (" + wanted + ")"));
  }
  return std::move(scale);
}

StatusOr<Scale> PatchScale(const ResourceRequest& call, const Scale& scale) {
  FLYBALL_TRY(const PatchKind patch, PatchKindOf(call.request, ScaleKind()));
  if (patch == PatchKind::kApply) {
    return std::unexpected(UnsupportedMediaType("a scale cannot be applied"));
  }
  AnyObject object(Scale::kType);
  *static_cast<Scale*>(object.get()) = scale;
  FLYBALL_TRY(const api::Json tree, ScaleKind().ToJson(object));
  FLYBALL_TRY(const api::Json patched,
              ApplyPatch(patch, call.request.http.body, ScaleKind(), tree));
  auto result = ScaleKind().FromJson(patched);
  if (!result) {
    return std::unexpected(Invalid(
        "", "", "", {FieldError::Invalid("patch", patched.ToString(), result.error().Describe())}));
  }
  return std::move(*static_cast<Scale*>(result->get()));
}

/// The object with the number of replicas that was asked for; what else a scale has is not taken.
template <typename T>
StatusOr<AnyObject> Resize(const ResourceRequest& call, const Scale& wanted, const T& before) {
  const std::string& name = before.metadata.name;
  if (wanted.spec.replicas < 0) {
    return std::unexpected(
        Invalid("autoscaling", "Scale", name,
                {FieldError::InvalidNumber("spec.replicas", wanted.spec.replicas,
                                           "must be greater than or equal to 0")}));
  }
  if (!wanted.metadata.uid.empty() && wanted.metadata.uid != before.metadata.uid) {
    const std::string resource = call.resource->plural + "/scale";
    return std::unexpected(
        Conflict({call.resource->kind->group(), resource}, name,
                 "Precondition failed: UID in precondition: " + wanted.metadata.uid +
                     ", UID in object meta: " + before.metadata.uid));
  }
  AnyObject object(T::kType);
  T& now = *static_cast<T*>(object.get());
  now = before;
  now.spec.replicas = wanted.spec.replicas;
  now.metadata.resourceVersion = wanted.metadata.resourceVersion;
  return object;
}

template <typename T>
void Serve(const ResourceRequest& call, std::string_view verb, SubresourceDeps deps, OnReply done) {
  if (verb == "get") {
    const auto object = deps.objects.Get<T>(call.resource->collection, call.target().namespace_,
                                            call.target().name);
    if (!object) return done(std::unexpected(NotFound(call.resource->name(), call.target().name)));
    return done(Reply::Of(ScaleOf(*object)));
  }
  std::shared_ptr<const Scale> sent;
  if (verb == "update") {
    auto scale = ReadScale(call);
    if (!scale) return done(std::unexpected(std::move(scale).error()));
    sent = std::make_shared<const Scale>(*std::move(scale));
  }
  const auto change = [call, sent](const AnyObject& object) -> StatusOr<AnyObject> {
    const T& before = *object.As<T>();
    if (sent) return Resize(call, *sent, before);
    FLYBALL_TRY(const Scale patched, PatchScale(call, ScaleOf(before)));
    return Resize(call, patched, before);
  };
  deps.writes.ReviseObject(call, change, {}, [done = std::move(done)](StatusOr<Done> out) mutable {
    if (!out) return done(std::unexpected(std::move(out).error()));
    const AnyObject object = out->outcome.record->Decode();
    done(Reply::Of(ScaleOf(*object.As<T>())));
  });
}

}  // namespace

void ServeScale(const ResourceRequest& call, std::string_view verb, SubresourceDeps deps,
                OnReply done) {
  const std::string& collection = call.resource->collection;
  if (collection == "apps/deployments") {
    Serve<apps::v1::Deployment>(call, verb, deps, std::move(done));
  } else if (collection == "apps/replicasets") {
    Serve<apps::v1::ReplicaSet>(call, verb, deps, std::move(done));
  } else if (collection == "apps/statefulsets") {
    Serve<apps::v1::StatefulSet>(call, verb, deps, std::move(done));
  } else {
    Serve<core::v1::ReplicationController>(call, verb, deps, std::move(done));
  }
}

}  // namespace flyball::sandbox
