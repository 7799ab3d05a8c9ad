#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/meta/v1.h"
#include "flyball/base/clock.h"
#include "flyball/sandbox/record.h"
#include "flyball/sandbox/request.h"
#include "flyball/sandbox/resources.h"

namespace flyball::sandbox {

enum class MediaType : std::uint8_t { kJson, kYaml, kProtobuf };
std::string_view ToString(MediaType media);
/// What a type names, with or without stars; none if answers do not come in it.
std::optional<MediaType> MediaOf(std::string_view type, bool protobuf);

/// What of an object is shown.
enum class Form : std::uint8_t { kWhole, kMetadata, kTable };

/// What a table's rows bring along of their objects.
enum class IncludedObject : std::uint8_t { kNone, kMetadata, kWhole };
StatusOr<IncludedObject> IncludedObjectOf(const Query& query);

/// What was negotiated with a client by its Accept header: the media type, and what of an object is
/// shown.
struct NegotiatedMediaType {
  MediaType media = MediaType::kJson;
  Form form = Form::kWhole;
  bool pretty = false;
  IncludedObject included = IncludedObject::kMetadata;

  /// The first that the Accept header names and that can be had. Custom kinds have no protobuf.
  static StatusOr<NegotiatedMediaType> Choose(const Request& request, bool protobuf);
  std::string ContentType(bool watch = false) const;
  friend bool operator==(const NegotiatedMediaType&, const NegotiatedMediaType&) = default;
};

/// What a request's body is in.
StatusOr<MediaType> MediaTypeOf(const Request& request, bool protobuf);

/// The head of a list.
struct ListHead {
  std::string resource_version;
  std::string continue_token = {};
  std::optional<std::int64_t> remaining = {};
};

/// Encodes objects, lists and watch events for one client, in the media type that was negotiated.
class ResponseEncoder {
 public:
  ResponseEncoder(ResourcePtr resource, NegotiatedMediaType media_type, const Clock& clock)
      : resource_(std::move(resource)), media_type_(media_type), clock_(clock) {}

  const NegotiatedMediaType& media_type() const { return media_type_; }
  const Resource& resource() const { return *resource_; }

  /// A table has a head only where `head_shown`.
  std::string Object(const RecordPtr& record, bool head_shown = true) const;
  std::string List(const ListHead& head, const std::vector<RecordPtr>& records) const;
  /// A frame of a watch; `type` is ADDED and the like. The first one says what the columns are.
  std::string Event(std::string_view type, const RecordPtr& record, bool first = false) const;
  /// A bookmark; `initial_end` marks the end of the initial events.
  std::string Bookmark(std::string_view resource_version, bool initial_end) const;
  /// The end of a watch that goes wrong.
  std::string ErrorEvent(const meta::v1::Status& status) const;

 private:
  std::string Frame(std::string_view type, std::string_view object) const;

  ResourcePtr resource_;
  NegotiatedMediaType media_type_;
  const Clock& clock_;  // tables show ages
};

/// Any object of the API's own, such as a Status or a discovery document.
std::string EncodeResponse(const void* object, const api::TypeInfo& type,
                           NegotiatedMediaType media_type);
template <typename T>
std::string EncodeResponse(const T& object, NegotiatedMediaType media_type) {
  return EncodeResponse(&object, T::kType, media_type);
}
/// JSON text, or what the client wants instead.
std::string EncodeJsonResponse(std::string json, NegotiatedMediaType media_type);

}  // namespace flyball::sandbox
