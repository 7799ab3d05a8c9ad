#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "flyball/api/autoscaling/v1.h"
#include "flyball/api/meta/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/client/object_codec.h"
#include "flyball/client/pending.h"
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

/// All verbs on one resource, whose objects are T, each sent at once and waited for when the caller
/// likes. See ResourceClient, which waits.
template <typename T, typename Answer = T>
class AsyncResourceClient {
 public:
  using Codec = ObjectCodec<T>;
  using AnswerCodec = ObjectCodec<Answer>;
  using List = typename AnswerCodec::List;

  AsyncResourceClient(RestClient& rest, Resource resource, Encoding encoding, Accept accept)
      : rest_(&rest),
        requests_(std::move(resource)),
        encoding_(encoding),
        accept_(std::move(accept)) {
    if (accept_.object.empty()) accept_.object = accept_.list = AnswerCodec::Accept(encoding);
  }

  Pending<Answer> Get(const ObjectKey& key, const meta::v1::GetOptions& options = {}) const {
    RestRequest request = requests_.Make("get", "GET", key);
    request.query = QueryOf(options);
    return Object(std::move(request));
  }

  Pending<List> ListIn(const std::string& namespace_,
                       const meta::v1::ListOptions& options = {}) const {
    RestRequest request = requests_.Make("list", "GET", {namespace_, ""});
    request.query = QueryOf(options);
    request.accept = accept_.list;
    return {rest_->Start(std::move(request)), AnswerCodec::DecodeList};
  }

  Pending<Answer> Create(const T& object, const meta::v1::CreateOptions& options = {}) const {
    const ObjectKey key = Codec::KeyOf(object);
    RestRequest request = requests_.Make("create", "POST", {key.namespace_, ""});
    request.asked = requests_.Asked("create", key);
    request.query = QueryOf(options);
    return Send(std::move(request), object);
  }

  /// `subresource` is "status", or empty for all the rest.
  Pending<Answer> Update(const T& object, const meta::v1::UpdateOptions& options = {},
                         std::string_view subresource = {}) const {
    RestRequest request = requests_.Make("update", "PUT", Codec::KeyOf(object), subresource);
    request.query = QueryOf(options);
    return Send(std::move(request), object);
  }

  Pending<Answer> Patch(const ObjectKey& key, const client::Patch& patch,
                        const meta::v1::PatchOptions& options = {},
                        std::string_view subresource = {}) const {
    return Object(requests_.MakePatch(key, patch, options, subresource));
  }

  Pending<void> Delete(const ObjectKey& key, const meta::v1::DeleteOptions& options = {}) const {
    RestRequest request = requests_.Make("delete", "DELETE", key);
    request.accept = accept_.object;
    return Discard(std::move(request), options);
  }

  Pending<void> DeleteCollection(const std::string& namespace_,
                                 const meta::v1::DeleteOptions& options = {},
                                 const meta::v1::ListOptions& which = {}) const {
    RestRequest request = requests_.Make("delete all", "DELETE", {namespace_, ""});
    request.query = QueryOf(which);
    request.accept = accept_.list;
    return Discard(std::move(request), options);
  }

  // A subresource whose object is of another kind: a Scale, an Eviction, a TokenRequest.
  template <typename Part>
  Pending<Part> GetPart(const ObjectKey& key, std::string_view subresource) const {
    return PartOf<Part>(requests_.Make("get", "GET", key, subresource));
  }
  template <typename Part>
  Pending<Part> CreatePart(const ObjectKey& key, std::string_view subresource,
                           const Part& part) const {
    return SendPart(requests_.Make("create", "POST", key, subresource), part);
  }
  template <typename Part>
  Pending<Part> UpdatePart(const ObjectKey& key, std::string_view subresource,
                           const Part& part) const {
    return SendPart(requests_.Make("update", "PUT", key, subresource), part);
  }
  template <typename Part>
  Pending<Part> PatchPart(const ObjectKey& key, std::string_view subresource,
                          const client::Patch& patch,
                          const meta::v1::PatchOptions& options = {}) const {
    return PartOf<Part>(requests_.MakePatch(key, patch, options, subresource));
  }

  const Resource& resource() const { return requests_.resource(); }

 private:
  template <typename, typename>
  friend class ResourceClient;

  Pending<Answer> Object(RestRequest request) const {
    request.accept = accept_.object;
    return {rest_->Start(std::move(request)), AnswerCodec::Decode};
  }

  Pending<Answer> Send(RestRequest request, const T& object) const {
    auto body = Codec::Encode(object, encoding_);
    if (!body) return Pending<Answer>(std::move(body).error());
    (*std::move(body)).MoveInto(request);
    return Object(std::move(request));
  }

  Pending<void> Discard(RestRequest request, const meta::v1::DeleteOptions& options) const {
    auto body = EncodeBody(&options, options.kType, Encoding::kJson);
    if (!body) return Pending<void>(std::move(body).error());
    (*std::move(body)).MoveInto(request);
    return {rest_->Start(std::move(request)), [](std::string_view) { return Result<>(); }};
  }

  template <typename Part>
  Pending<Part> PartOf(RestRequest request) const {
    request.accept = ObjectCodec<Part>::Accept(encoding_);
    return {rest_->Start(std::move(request)), ObjectCodec<Part>::Decode};
  }

  template <typename Part>
  Pending<Part> SendPart(RestRequest request, const Part& part) const {
    auto body = ObjectCodec<Part>::Encode(part, encoding_);
    if (!body) return Pending<Part>(std::move(body).error());
    (*std::move(body)).MoveInto(request);
    return PartOf<Part>(std::move(request));
  }

  RestClient* rest_;
  ResourceRequests requests_;
  Encoding encoding_;
  Accept accept_;
};

/// All verbs on one resource, whose objects are T: a generated kind, PartialObjectMetadata of any
/// kind, or api::Json. Answers may be of another type, of which the server then makes them: see
/// Client::ReturningMetadataOnly(). A light handle; refers to the RestClient. Any thread.
template <typename T, typename Answer = T>
class ResourceClient {
 public:
  using List = typename AsyncResourceClient<T, Answer>::List;

  /// `accept` is for when the server is to make something else of what it has.
  ResourceClient(RestClient& rest, Resource resource, Encoding encoding = Encoding::kProtobuf,
                 Accept accept = {})
      : async_(rest, std::move(resource), encoding, std::move(accept)) {}

  /// The same verbs, for a caller who has something to do until the answer is there.
  const AsyncResourceClient<T, Answer>& Async() const { return async_; }

  Result<Answer> Get(const ObjectKey& key, const meta::v1::GetOptions& options = {}) const {
    return async_.Get(key, options).Wait();
  }

  /// Of one namespace, or of all if it is empty.
  Result<List> ListIn(const std::string& namespace_,
                      const meta::v1::ListOptions& options = {}) const {
    return async_.ListIn(namespace_, options).Wait();
  }

  Result<Watch<Answer>> WatchIn(const std::string& namespace_,
                                meta::v1::ListOptions options = {}) const {
    RestRequest request = async_.requests_.Make("watch", "GET", {namespace_, ""});
    options.watch = true;
    request.query = QueryOf(options);
    FLYBALL_TRY(auto events, OpenWatch(*async_.rest_, std::move(request), async_.accept_.object));
    return Watch<Answer>(std::move(events));
  }

  Result<Answer> Create(const T& object, const meta::v1::CreateOptions& options = {}) const {
    return async_.Create(object, options).Wait();
  }
  Result<Answer> Update(const T& object, const meta::v1::UpdateOptions& options = {}) const {
    return async_.Update(object, options).Wait();
  }
  Result<Answer> UpdateStatus(const T& object, const meta::v1::UpdateOptions& options = {}) const {
    return async_.Update(object, options, "status").Wait();
  }
  Result<Answer> Patch(const ObjectKey& key, const client::Patch& patch,
                       const meta::v1::PatchOptions& options = {},
                       std::string_view subresource = {}) const {
    return async_.Patch(key, patch, options, subresource).Wait();
  }

  /// Says nothing of what was deleted: the server may answer with the object or without.
  Result<> Delete(const ObjectKey& key, const meta::v1::DeleteOptions& options = {}) const {
    return async_.Delete(key, options).Wait();
  }
  Result<> DeleteCollection(const std::string& namespace_,
                            const meta::v1::DeleteOptions& options = {},
                            const meta::v1::ListOptions& which = {}) const {
    return async_.DeleteCollection(namespace_, options, which).Wait();
  }

  /// A subresource whose object is of another kind: a Scale, an Eviction, a TokenRequest.
  template <typename Part>
  Result<Part> GetPart(const ObjectKey& key, std::string_view subresource) const {
    return async_.template GetPart<Part>(key, subresource).Wait();
  }
  template <typename Part>
  Result<Part> CreatePart(const ObjectKey& key, std::string_view subresource,
                          const Part& part) const {
    return async_.CreatePart(key, subresource, part).Wait();
  }
  template <typename Part>
  Result<Part> UpdatePart(const ObjectKey& key, std::string_view subresource,
                          const Part& part) const {
    return async_.UpdatePart(key, subresource, part).Wait();
  }
  template <typename Part>
  Result<Part> PatchPart(const ObjectKey& key, std::string_view subresource,
                         const client::Patch& patch,
                         const meta::v1::PatchOptions& options = {}) const {
    return async_.template PatchPart<Part>(key, subresource, patch, options).Wait();
  }

  Result<autoscaling::v1::Scale> GetScale(const ObjectKey& key) const {
    return GetPart<autoscaling::v1::Scale>(key, "scale");
  }
  Result<autoscaling::v1::Scale> UpdateScale(const autoscaling::v1::Scale& scale) const {
    return UpdatePart(ObjectKey::Of(scale), "scale", scale);
  }

  const Resource& resource() const { return async_.resource(); }

 private:
  AsyncResourceClient<T, Answer> async_;
};

}  // namespace flyball::client
