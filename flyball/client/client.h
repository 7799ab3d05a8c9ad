#pragma once

#include <string>

#include "flyball/api/authentication/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/policy/v1.h"
#include "flyball/client/resource_client.h"
#include "flyball/client/resource_reader.h"

namespace flyball::client {

/// What asks a server for the metadata of objects alone.
Accept MetadataAccept(Encoding encoding);

/// The API server, as one identity sees it.
///
///   const auto pods = client.Of<core::v1::Pod>();
///   FLYBALL_TRY(const auto pod, pods.Get({"default", "web-0"}));
///
/// Any thread may call it.
class Client {
 public:
  explicit Client(RestClient& rest, Encoding encoding = Encoding::kProtobuf)
      : rest_(rest), encoding_(encoding) {}

  /// A kind in the schema, or one from a CRD.
  template <typename T>
  ResourceClient<T> Of() const {
    return {rest_, Resource::Of<T>(), encoding_};
  }
  /// The same kind for writes: the server answers them with the object's metadata alone
  /// (PartialObjectMetadata), since the writer knows the rest.
  template <typename T>
  ResourceClient<T, meta::v1::PartialObjectMetadata> ReturningMetadataOnly() const {
    return {rest_, Resource::Of<T>(), encoding_, MetadataAccept(encoding_)};
  }
  /// Any resource, as JSON.
  ResourceClient<api::Json> Dynamic(Resource resource) const {
    return {rest_, std::move(resource), Encoding::kJson};
  }
  /// Any resource, but of each object its metadata only, which the server cuts out.
  ResourceClient<meta::v1::PartialObjectMetadata> Metadata(Resource resource) const;

  /// The same three, for those who keep what they read: kinds and their views, ...
  template <typename T>
  ResourceReader<T> Reader() const {
    // Views are read from protobuf only.
    const bool json = encoding_ == Encoding::kJson && !View<T>;
    const std::string type(kJsonType);
    return {rest_, Resource::Of<T>(), json ? Accept{type, type} : Accept()};
  }
  ResourceReader<api::Json> DynamicReader(Resource resource) const {
    return {rest_, std::move(resource), {}};
  }
  ResourceReader<meta::v1::PartialObjectMetadata> MetadataReader(Resource resource) const {
    return {rest_, std::move(resource), MetadataAccept(encoding_)};
  }

  /// Gives a pod to a node.
  Result<> Bind(const core::v1::Binding& binding) const;
  /// Deletes a pod, unless a disruption budget has something against it (kTooManyRequests).
  Result<> Evict(const policy::v1::Eviction& eviction) const;
  Result<authentication::v1::TokenRequest> CreateToken(
      const ObjectKey& service_account, const authentication::v1::TokenRequest& request) const;

  RestClient& rest() const { return rest_; }

 private:
  /// For subresources whose answer says nothing that was not asked for.
  template <typename T>
  Result<> PostToPod(std::string_view verb, std::string_view subresource, const T& object) const;

  RestClient& rest_;
  const Encoding encoding_;
};

}  // namespace flyball::client
