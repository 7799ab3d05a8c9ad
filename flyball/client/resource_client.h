#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "flyball/api/autoscaling/v1.h"
#include "flyball/api/meta/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/client/object_codec.h"
#include "flyball/client/resource.h"
#include "flyball/client/rest_client.h"
#include "flyball/client/watch.h"

namespace flyball::client {

using api::ObjectKey;

enum class PatchType : std::uint8_t { kMerge, kJson, kStrategic, kApply };

/// A change, in one of the languages that an API server knows.
struct Patch {
  PatchType type = PatchType::kMerge;
  std::string text;  ///< JSON

  static Patch Merge(const api::Json& patch) { return {PatchType::kMerge, patch.ToString()}; }
  static Patch Strategic(const api::Json& patch) {
    return {PatchType::kStrategic, patch.ToString()};
  }
};

/// What a client takes, as in the header of that name.
struct Accept {
  std::string object;
  std::string list;
};

/// The requests that are alike for all kinds.
class ResourceRequests {
 public:
  explicit ResourceRequests(Resource resource) : resource_(std::move(resource)) {}

  const Resource& resource() const { return resource_; }

  /// For people: "update deployments.apps/status default/web".
  std::string Asked(std::string_view verb, const ObjectKey& key,
                    std::string_view subresource = {}) const;
  /// `verb` is for people; the key's name may be empty, for the collection.
  RestRequest Make(std::string_view verb, std::string method, const ObjectKey& key,
                   std::string_view subresource = {}) const;
  RestRequest MakePatch(const ObjectKey& key, const Patch& patch,
                        const meta::v1::PatchOptions& options, std::string_view subresource) const;

 private:
  Resource resource_;
};

/// All verbs on one resource, whose objects are T: a generated kind, PartialObjectMetadata of any
/// kind, or api::Json. A light handle; refers to the RestClient. Any thread.
template <typename T>
class ResourceClient {
 public:
  using Codec = ObjectCodec<T>;
  using List = typename Codec::List;

  /// `accept` is for when the server is to make something else of what it has.
  ResourceClient(RestClient& rest, Resource resource, Encoding encoding = Encoding::kProtobuf,
                 Accept accept = {})
      : rest_(&rest),
        requests_(std::move(resource)),
        encoding_(encoding),
        accept_(std::move(accept)) {
    if (accept_.object.empty()) accept_.object = accept_.list = Codec::Accept(encoding);
  }

  Result<T> Get(const ObjectKey& key, const meta::v1::GetOptions& options = {}) const {
    RestRequest request = requests_.Make("get", "GET", key);
    request.query = QueryOf(options);
    return Object(std::move(request));
  }

  /// Of one namespace, or of all if it is empty.
  Result<List> ListIn(const std::string& namespace_,
                      const meta::v1::ListOptions& options = {}) const {
    RestRequest request = requests_.Make("list", "GET", {namespace_, ""});
    request.query = QueryOf(options);
    request.accept = accept_.list;
    FLYBALL_TRY(const auto response, rest_->Do(request));
    return Named(Codec::DecodeList(response.body), request);
  }

  Result<Watch<T>> WatchIn(const std::string& namespace_,
                           meta::v1::ListOptions options = {}) const {
    RestRequest request = requests_.Make("watch", "GET", {namespace_, ""});
    options.watch = true;
    request.query = QueryOf(options);
    const std::string& accept = accept_.object;
    const bool protobuf = accept.starts_with(kProtobufType);
    // One format, since the frames of the two differ.
    request.accept = protobuf ? accept.substr(0, accept.find(',')) + ";stream=watch" : accept;
    FLYBALL_TRY(auto stream, rest_->Open(request));
    return Watch<T>(std::move(stream), protobuf, std::move(request.asked));
  }

  Result<T> Create(const T& object, const meta::v1::CreateOptions& options = {}) const {
    const ObjectKey key = Codec::KeyOf(object);
    RestRequest request = requests_.Make("create", "POST", {key.namespace_, ""});
    request.asked = requests_.Asked("create", key);
    request.query = QueryOf(options);
    return Send(std::move(request), object);
  }

  Result<T> Update(const T& object, const meta::v1::UpdateOptions& options = {}) const {
    return UpdatePart(object, "", options);
  }
  Result<T> UpdateStatus(const T& object, const meta::v1::UpdateOptions& options = {}) const {
    return UpdatePart(object, "status", options);
  }

  Result<T> Patch(const ObjectKey& key, const client::Patch& patch,
                  const meta::v1::PatchOptions& options = {},
                  std::string_view subresource = {}) const {
    return Object(requests_.MakePatch(key, patch, options, subresource));
  }

  /// Says nothing of what was deleted: the server may answer with the object or without.
  Result<> Delete(const ObjectKey& key, const meta::v1::DeleteOptions& options = {}) const {
    return Discard(requests_.Make("delete", "DELETE", key), options);
  }
  Result<> DeleteCollection(const std::string& namespace_,
                            const meta::v1::DeleteOptions& options = {},
                            const meta::v1::ListOptions& which = {}) const {
    RestRequest request = requests_.Make("delete all", "DELETE", {namespace_, ""});
    request.query = QueryOf(which);
    return Discard(std::move(request), options);
  }

  /// A subresource whose object is of another kind: a Scale, an Eviction, a TokenRequest.
  template <typename Part>
  Result<Part> GetPart(const ObjectKey& key, std::string_view subresource) const {
    return PartOf<Part>(requests_.Make("get", "GET", key, subresource));
  }
  template <typename Part>
  Result<Part> CreatePart(const ObjectKey& key, std::string_view subresource,
                          const Part& part) const {
    return SendPart(requests_.Make("create", "POST", key, subresource), part);
  }
  template <typename Part>
  Result<Part> UpdatePart(const ObjectKey& key, std::string_view subresource,
                          const Part& part) const {
    return SendPart(requests_.Make("update", "PUT", key, subresource), part);
  }
  template <typename Part>
  Result<Part> PatchPart(const ObjectKey& key, std::string_view subresource,
                         const client::Patch& patch,
                         const meta::v1::PatchOptions& options = {}) const {
    return PartOf<Part>(requests_.MakePatch(key, patch, options, subresource));
  }

  Result<autoscaling::v1::Scale> GetScale(const ObjectKey& key) const {
    return GetPart<autoscaling::v1::Scale>(key, "scale");
  }
  Result<autoscaling::v1::Scale> UpdateScale(const autoscaling::v1::Scale& scale) const {
    return UpdatePart(ObjectKey::Of(scale), "scale", scale);
  }

  const Resource& resource() const { return requests_.resource(); }

 private:
  /// An answer that makes no sense is an error that says to what it was the answer.
  template <typename Answer>
  static Result<Answer> Named(Result<Answer> answer, const RestRequest& request) {
    if (!answer) return std::unexpected(answer.error().Wrap(request.asked));
    return answer;
  }

  Result<T> UpdatePart(const T& object, std::string_view subresource,
                       const meta::v1::UpdateOptions& options) const {
    RestRequest request = requests_.Make("update", "PUT", Codec::KeyOf(object), subresource);
    request.query = QueryOf(options);
    return Send(std::move(request), object);
  }

  Result<T> Object(RestRequest request) const {
    request.accept = accept_.object;
    FLYBALL_TRY(const auto response, rest_->Do(request));
    return Named(Codec::Decode(response.body), request);
  }

  Result<T> Send(RestRequest request, const T& object) const {
    FLYBALL_TRY(EncodedBody body, Codec::Encode(object, encoding_));
    std::move(body).MoveInto(request);
    return Object(std::move(request));
  }

  Result<> Discard(RestRequest request, const meta::v1::DeleteOptions& options) const {
    FLYBALL_TRY(EncodedBody body, EncodeBody(&options, options.kType, Encoding::kJson));
    std::move(body).MoveInto(request);
    FLYBALL_TRY(rest_->Do(request));
    return {};
  }

  template <typename Part>
  Result<Part> PartOf(RestRequest request) const {
    request.accept = ObjectCodec<Part>::Accept(encoding_);
    FLYBALL_TRY(const auto response, rest_->Do(request));
    return Named(ObjectCodec<Part>::Decode(response.body), request);
  }

  template <typename Part>
  Result<Part> SendPart(RestRequest request, const Part& part) const {
    FLYBALL_TRY(EncodedBody body, ObjectCodec<Part>::Encode(part, encoding_));
    std::move(body).MoveInto(request);
    return PartOf<Part>(std::move(request));
  }

  RestClient* rest_;
  ResourceRequests requests_;
  Encoding encoding_;
  Accept accept_;
};

}  // namespace flyball::client
