#include "flyball/client/client.h"

namespace flyball::client {

Accept MetadataAccept(Encoding encoding) {
  const auto accept = [encoding](std::string_view kind) {
    const std::string as = ";as=" + std::string(kind) + ";g=meta.k8s.io;v=v1";
    std::string types = std::string(kJsonType) + as;
    if (encoding == Encoding::kProtobuf) types = std::string(kProtobufType) + as + "," + types;
    return types;
  };
  return {accept("PartialObjectMetadata"), accept("PartialObjectMetadataList")};
}

ResourceClient<meta::v1::PartialObjectMetadata> Client::Metadata(Resource resource) const {
  return {rest_, std::move(resource), encoding_, MetadataAccept(encoding_)};
}

Result<> Client::Bind(const core::v1::Binding& binding) const {
  return PostToPod("bind", "binding", binding);
}

Result<> Client::Evict(const policy::v1::Eviction& eviction) const {
  return PostToPod("evict", "eviction", eviction);
}

template <typename T>
Result<> Client::PostToPod(std::string_view verb, std::string_view subresource,
                           const T& object) const {
  RestRequest request = ResourceRequests(Resource::Of<core::v1::Pod>())
                            .Make(verb, "POST", ObjectKey::Of(object), subresource);
  FLYBALL_TRY(EncodedBody body, EncodeBody(&object, T::kType, encoding_));
  std::move(body).MoveInto(request);
  FLYBALL_TRY(rest_.Do(request));
  return {};
}

Result<authentication::v1::TokenRequest> Client::CreateToken(
    const ObjectKey& service_account, const authentication::v1::TokenRequest& request) const {
  return Of<core::v1::ServiceAccount>().CreatePart(service_account, "token", request);
}

}  // namespace flyball::client
