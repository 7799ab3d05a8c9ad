#include "flyball/controllers/root_ca_publisher/plan.h"

namespace flyball::controllers::root_ca_publisher {
namespace {

using core::v1::ConfigMap;

constexpr std::string_view kDescriptionKey = "kubernetes.io/description";
constexpr std::string_view kDescription =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters.";

bool IsDescribed(const ConfigMap& map) {
  const std::string* const text = map.metadata.annotations.find(kDescriptionKey);
  return text != nullptr && !text->empty();
}

}  // namespace

Plan PlanFor(const core::v1::Namespace& space, const ConfigMap* cached,
             const std::string& root_ca) {
  // DIVERGES: upstream asks the server, once for every namespace that goes, and is refused.
  if (space.metadata.deletionTimestamp) return {};
  const api::Map<std::string> data = {{"ca.crt", root_ca}};
  if (cached != nullptr && cached->data == data && IsDescribed(*cached)) return {};

  Plan plan;
  if (cached != nullptr) {
    plan.action = Plan::Action::kUpdate;
    plan.map = *cached;
  } else {
    plan.action = Plan::Action::kCreate;
    plan.map.metadata.namespace_ = space.metadata.name;
    plan.map.metadata.name = kName;
  }
  plan.map.data = data;
  plan.map.metadata.annotations[kDescriptionKey] = kDescription;
  return plan;
}

std::string_view CodeOf(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kBadRequest:
      return "400";
    case ErrorCode::kUnauthorized:
      return "401";
    case ErrorCode::kForbidden:
      return "403";
    case ErrorCode::kNotFound:
    case ErrorCode::kNotServed:
      return "404";
    case ErrorCode::kMethodNotAllowed:
      return "405";
    case ErrorCode::kNotAcceptable:
      return "406";
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kConflict:
      return "409";
    case ErrorCode::kGone:
      return "410";
    case ErrorCode::kTooLarge:
      return "413";
    case ErrorCode::kUnsupportedMediaType:
      return "415";
    case ErrorCode::kInvalid:
      return "422";
    case ErrorCode::kTooManyRequests:
      return "429";
    case ErrorCode::kUnavailable:
      return "503";
    default:
      return "500";
  }
}

}  // namespace flyball::controllers::root_ca_publisher
