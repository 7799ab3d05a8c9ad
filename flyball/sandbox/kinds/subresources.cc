#include "flyball/sandbox/kinds/subresources.h"

#include <algorithm>

#include "flyball/api/meta/v1.h"
#include "flyball/sandbox/custom/custom_scale.h"

namespace flyball::sandbox {
namespace {

struct Row {
  std::string_view collection;
  std::string_view subresource;
  Handler handler;
};

constexpr Row kHandlers[] = {
    {"bindings", "", BindPod},
    {"pods", "binding", BindPod},
    {"pods", "eviction", EvictPod},
    {"apps/deployments", "scale", ServeScale},
    {"apps/replicasets", "scale", ServeScale},
    {"apps/statefulsets", "scale", ServeScale},
    {"replicationcontrollers", "scale", ServeScale},
    {"serviceaccounts", "token", IssueToken},
    {"authentication.k8s.io/tokenreviews", "", AnswerReview},
    {"authentication.k8s.io/selfsubjectreviews", "", AnswerReview},
    {"authorization.k8s.io/localsubjectaccessreviews", "", AnswerReview},
    {"authorization.k8s.io/selfsubjectaccessreviews", "", AnswerReview},
    {"authorization.k8s.io/selfsubjectrulesreviews", "", AnswerReview},
    {"authorization.k8s.io/subjectaccessreviews", "", AnswerReview},
};

}  // namespace

Reply Reply::Success(int code) {
  meta::v1::Status status;
  status.kind = "Status";
  status.apiVersion = "v1";
  status.status = "Success";
  status.code = code;
  return Of(std::move(status), code);
}

Handler HandlerOf(const Resource& resource, std::string_view subresource) {
  if (resource.custom && subresource == "scale") return ServeCustomScale;
  for (const Row& row : kHandlers) {
    if (row.collection == resource.collection && row.subresource == subresource) {
      return row.handler;
    }
  }
  return nullptr;
}

bool IsPartOfObject(const Resource& resource, const Resource::Subresource& subresource) {
  return subresource.kind == resource.kind->name() &&
         std::ranges::find(subresource.verbs, "update") != subresource.verbs.end();
}

}  // namespace flyball::sandbox
