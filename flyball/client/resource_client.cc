#include "flyball/client/resource_client.h"

namespace flyball::client {
namespace {

std::string_view ContentType(PatchType type) {
  switch (type) {
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kStrategic:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";
  }
  return "";
}

}  // namespace

std::string ResourceRequests::Asked(std::string_view verb, const ObjectKey& key,
                                    std::string_view subresource) const {
  std::string asked = std::string(verb) + " " + resource_.QualifiedName();
  if (!subresource.empty()) asked += "/" + std::string(subresource);
  if (!key.name.empty()) {
    asked += " " + key.ToString();
  } else if (!key.namespace_.empty()) {
    asked += " in " + key.namespace_;
  }
  return asked;
}

RestRequest ResourceRequests::Make(std::string_view verb, std::string method, const ObjectKey& key,
                                   std::string_view subresource) const {
  RestRequest request;
  request.method = std::move(method);
  request.path = resource_.Path(key.namespace_, key.name, subresource);
  request.asked = Asked(verb, key, subresource);
  request.name = key.name;
  return request;
}

RestRequest ResourceRequests::MakePatch(const ObjectKey& key, const Patch& patch,
                                        const meta::v1::PatchOptions& options,
                                        std::string_view subresource) const {
  RestRequest request = Make("patch", "PATCH", key, subresource);
  request.query = QueryOf(options);
  request.body = patch.text;
  request.content_type = ContentType(patch.type);
  return request;
}

}  // namespace flyball::client
