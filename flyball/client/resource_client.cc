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

RestRequest ResourceRequests::Make(std::string_view verb, std::string method, const ObjectKey& key,
                                   std::string_view subresource) const {
  RestRequest request;
  request.method = std::move(method);
  request.path = resource_.Path(key.namespace_, key.name, subresource);
  std::string& asked = request.asked;
  asked.reserve(64);
  asked.append(verb).append(" ").append(resource_.QualifiedName());
  if (!subresource.empty()) asked.append("/").append(subresource);
  if (!key.name.empty() || !key.namespace_.empty()) asked.append(" ").append(key.ToString());
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
