#include <memory>
#include <string>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "flyball/sandbox/body.h"
#include "flyball/sandbox/kinds/pod_admission.h"
#include "flyball/sandbox/kinds/pod_conditions.h"
#include "flyball/sandbox/kinds/subresources.h"
#include "flyball/sandbox/name_rules.h"

namespace flyball::sandbox {
namespace {

using core::v1::Binding;
using core::v1::Pod;

constexpr ResourceName kBindings{"", "pods/binding"};

/// Several errors in one sentence, as they are told where no Status is made of them.
std::string Sentence(const FieldErrors& errors) {
  std::string text;
  for (const FieldError& error : errors) {
    text += (text.empty() ? "" : ", ") + error.field + ": " + error.Message();
  }
  return errors.size() == 1 ? text : "[" + text + "]";
}

StatusOr<> CheckBinding(const Binding& binding) {
  FieldErrors errors;
  const std::string& kind = binding.target.kind;
  const std::string& name = binding.target.name;
  if (!kind.empty() && kind != "Node") {
    errors.push_back(FieldError::NotSupported("target.kind", kind, {"Node", "<empty>"}));
  }
  if (name.empty()) {
    errors.push_back(FieldError::Required("target.name", ""));
  } else {
    for (const std::string& problem : SubdomainProblems(name)) {
      errors.push_back(FieldError::Invalid("target.name", name, problem));
    }
  }
  if (errors.empty()) return {};
  // PARITY: it is a plain error upstream, so the answer blames the server.
  meta::v1::Status status;
  status.status = "Failure";
  status.code = 500;
  status.message = Sentence(errors);
  return std::unexpected(ApiStatusError(std::move(status)));
}

StatusOr<> CheckPod(const Pod& pod, const Binding& binding) {
  const std::string& name = pod.metadata.name;
  const auto differs = [&](std::string_view what, const std::string& asked,
                           const std::string& has) {
    return std::unexpected(Conflict({"", "pods"}, name,
                                    "Precondition failed: " + std::string(what) +
                                        " in precondition: " + asked + ", " + std::string(what) +
                                        " in object meta: " + has));
  };
  if (!binding.metadata.uid.empty() && binding.metadata.uid != pod.metadata.uid) {
    return differs("UID", binding.metadata.uid, pod.metadata.uid);
  }
  if (!binding.metadata.resourceVersion.empty() &&
      binding.metadata.resourceVersion != pod.metadata.resourceVersion) {
    return differs("ResourceVersion", binding.metadata.resourceVersion,
                   pod.metadata.resourceVersion);
  }
  if (pod.metadata.deletionTimestamp) {
    return std::unexpected(Conflict(
        kBindings, name, "pod " + name + " is being deleted, cannot be assigned to a host"));
  }
  if (!pod.spec.nodeName.empty()) {
    return std::unexpected(Conflict(
        kBindings, name,
        "pod " + name + " is already assigned to node " + api::Json(pod.spec.nodeName).ToString()));
  }
  if (!pod.spec.schedulingGates.empty()) {
    return std::unexpected(
        Conflict(kBindings, name, "pod " + name + " has non-empty .spec.schedulingGates"));
  }
  return {};
}

/// The pod as it is on its node. Its generation stays: that is of what people asked for.
void Assign(Pod& pod, const Binding& binding, WallTime now) {
  pod.spec.nodeName = binding.target.name;
  pod.status.nominatedNodeName.clear();
  for (const auto& [key, value] : binding.metadata.annotations) {
    pod.metadata.annotations[key] = value;
  }
  for (const auto& [key, value] : binding.metadata.labels) pod.metadata.labels[key] = value;
  core::v1::PodCondition scheduled;
  scheduled.type = "PodScheduled";
  scheduled.status = "True";
  SetCondition(pod.status, std::move(scheduled), now);
}

StatusOr<Binding> ReadBinding(const ResourceRequest& call, SubresourceDeps deps) {
  Binding binding;
  FLYBALL_TRY(ReadOptions(call.request, Binding::kType, &binding));
  FLYBALL_TRY(deps.writes.CheckNamespace(call, binding.metadata.name));
  const std::string& name = call.target().name;
  if (!name.empty() && name != binding.metadata.name) {
    return std::unexpected(BadRequest("name in URL does not match name in Binding object"));
  }
  FLYBALL_TRY(CheckBinding(binding));
  return binding;
}

}  // namespace

void BindPod(const ResourceRequest& call, std::string_view /*verb*/, SubresourceDeps deps,
             OnReply done) {
  auto read = ReadBinding(call, deps);
  if (!read) return done(std::unexpected(std::move(read).error()));
  if (read->target.kind == "Node") {
    CopyTopologyLabels(read->metadata, read->target.name, deps.objects);
  }
  const auto binding = std::make_shared<const Binding>(*std::move(read));
  const std::string& space = call.target().namespace_;
  const RecordPtr found = deps.objects.Find("pods", space, binding->metadata.name);
  if (!found) return done(std::unexpected(NotFound({"", "pods"}, binding->metadata.name)));
  const auto decide = [binding,
                       &objects = deps.objects](const RecordPtr& current) -> StatusOr<Step> {
    if (!current) return std::unexpected(NotFound({"", "pods"}, binding->metadata.name));
    api::AnyObject object = current->Decode();
    Pod& pod = *static_cast<Pod*>(object.get());
    FLYBALL_TRY(CheckPod(pod, *binding));
    Assign(pod, *binding, objects.Now());
    return Step::Put(std::move(object));
  };
  deps.objects.GuaranteedUpdate(
      {{"pods", space, binding->metadata.name}, found->kind_ptr(), decide, call.DryRun()},
      [done = std::move(done)](StatusOr<Outcome> outcome) mutable {
        if (!outcome) return done(std::unexpected(std::move(outcome).error()));
        done(Reply::Success());
      });
}

}  // namespace flyball::sandbox
