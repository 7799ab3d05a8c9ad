#include "flyball/sandbox/response_encoder.h"

#include <algorithm>

#include "flyball/api/envelope.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/json_reader.h"
#include "flyball/api/json_writer.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/yaml_writer.h"
#include "flyball/base/check.h"
#include "flyball/sandbox/accept.h"
#include "flyball/sandbox/object_json.h"
#include "flyball/sandbox/table.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using api::Json;

constexpr std::string_view kMetaVersion = "meta.k8s.io/v1";
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

}  // namespace

std::optional<MediaType> MediaOf(std::string_view type, bool protobuf) {
  if (type == "*/*" || type == "application/json") return MediaType::kJson;
  if (type == "application/yaml") return MediaType::kYaml;
  if (protobuf && type == "application/vnd.kubernetes.protobuf") return MediaType::kProtobuf;
  return std::nullopt;
}

namespace {

std::optional<Form> FormOf(const AcceptClause& clause) {
  if (clause.as.empty()) return Form::kWhole;
  if (clause.group != "meta.k8s.io") return std::nullopt;
  if (clause.version != "v1" && clause.version != "v1beta1") return std::nullopt;
  if (clause.as == "Table") return Form::kTable;
  if (clause.as == "PartialObjectMetadata" || clause.as == "PartialObjectMetadataList") {
    return Form::kMetadata;
  }
  return std::nullopt;
}

/// Programs that people read the output of.
bool IsForPeople(std::string_view user_agent) {
  return user_agent.starts_with("curl") || user_agent.starts_with("Wget") ||
         user_agent.starts_with("Mozilla/5.0");
}

std::string Accepted(bool protobuf) {
  std::string types = "application/json, application/yaml";
  if (protobuf) types += ", application/vnd.kubernetes.protobuf";
  return types;
}

template <typename T>
std::string JsonText(const T& object) {
  auto text = api::EncodeJson(object);
  FLYBALL_CHECK(text, text.error().Describe());
  return *std::move(text);
}

std::string Indented(std::string_view json) {
  std::string out;
  api::JsonWriter writer(out, 2);
  const auto read = api::ReadJson(json, writer);
  FLYBALL_CHECK(read, read.error().Describe());
  return out;
}

template <typename T>
std::string Message(const T& object) {
  auto bytes = api::EncodeProtobuf(object);
  FLYBALL_CHECK(bytes, bytes.error().Describe());
  return *std::move(bytes);
}

meta::v1::ListMeta ListMetaOf(const ListHead& head) {
  meta::v1::ListMeta metadata;
  metadata.resourceVersion = head.resource_version;
  metadata.continue_ = head.continue_token;
  metadata.remainingItemCount = head.remaining;
  return metadata;
}

/// `metadata` is the list's own, in JSON.
std::string JsonList(std::string_view kind, std::string_view api_version, std::string_view metadata,
                     const std::vector<std::string>& items) {
  std::string out = "{\"kind\":" + Json(kind).ToString() +
                    ",\"apiVersion\":" + Json(api_version).ToString() +
                    ",\"metadata\":" + std::string(metadata) + ",\"items\":[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ",";
    out += items[i];
  }
  return out + "]}";
}

}  // namespace

std::string_view ToString(MediaType media) {
  switch (media) {
    case MediaType::kJson:
      return "application/json";
    case MediaType::kYaml:
      return "application/yaml";
    case MediaType::kProtobuf:
      break;
  }
  return "application/vnd.kubernetes.protobuf";
}

StatusOr<IncludedObject> IncludedObjectOf(const Query& query) {
  const std::string_view wanted = query.Get("includeObject");
  if (wanted.empty() || wanted == "Metadata") return IncludedObject::kMetadata;
  if (wanted == "None") return IncludedObject::kNone;
  if (wanted == "Object") return IncludedObject::kWhole;
  return std::unexpected(
      BadRequest("unrecognized includeObject value: \"" + std::string(wanted) + "\""));
}

StatusOr<NegotiatedMediaType> NegotiatedMediaType::Choose(const Request& request, bool protobuf) {
  NegotiatedMediaType chosen;
  const Query& query = request.target.query;
  chosen.pretty =
      query.Has("pretty") ? query.IsTrue("pretty") : IsForPeople(request.Header("user-agent"));
  FLYBALL_TRY(chosen.included, IncludedObjectOf(query));
  const std::string_view accept = request.Header("accept");
  if (accept.empty()) return chosen;
  bool transformed = false;
  for (const AcceptClause& clause : ParseAccept(accept)) {
    transformed |= !clause.as.empty();
    const auto form = FormOf(clause);
    // Metadata has a protobuf form whatever it is of.
    const auto media = MediaOf(clause.type, protobuf || form == Form::kMetadata);
    if (!media || !form) continue;
    if (*media == MediaType::kProtobuf && *form == Form::kTable) continue;  // it has no such form
    chosen.media = *media;
    chosen.form = *form;
    return chosen;
  }
  if (transformed) {
    return std::unexpected(
        NotAcceptable("only the following media types are accepted: " + Accepted(protobuf)));
  }
  std::string available = Accepted(protobuf);
  const bool watchable = request.target.name.empty() && request.http.method == "GET";
  if (watchable) available += ", application/json;stream=watch";
  if (watchable && protobuf) available += ", application/vnd.kubernetes.protobuf;stream=watch";
  return std::unexpected(
      NotAcceptable("406: Not Acceptable\n\nAvailable representations: " + available));
}

std::string NegotiatedMediaType::ContentType(bool watch) const {
  std::string type(ToString(media));
  if (watch && media == MediaType::kProtobuf) type += ";stream=watch";
  return type;
}

StatusOr<MediaType> MediaTypeOf(const Request& request, bool protobuf) {
  const std::string_view header = request.Header("content-type");
  if (header.empty()) return MediaType::kJson;
  const std::string_view type = TrimBlanks(header.substr(0, header.find(';')));
  if (type != "*/*" && type != "application/*") {
    if (const auto media = MediaOf(type, protobuf)) return *media;
  }
  return std::unexpected(UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: " +
      Accepted(protobuf)));
}

std::string EncodeJsonResponse(std::string json, NegotiatedMediaType media_type) {
  if (media_type.media == MediaType::kYaml) {
    const auto tree = Json::Parse(json);
    FLYBALL_CHECK(tree, tree.error().Describe());
    return ToYaml(*tree);
  }
  return media_type.pretty ? Indented(json) : std::move(json) + "\n";
}

std::string EncodeResponse(const void* object, const api::TypeInfo& type,
                           NegotiatedMediaType media_type) {
  if (media_type.media == MediaType::kProtobuf && !type.json_only) {
    std::string message;
    const auto encoded = api::EncodeProtobuf(object, type, message);
    FLYBALL_CHECK(encoded, encoded.error().Describe());
    // PARITY: what belongs to no group goes by core's version.
    const std::string version = type.group == "meta.k8s.io" ? "v1" : type.ApiVersion();
    return api::SealEnvelope(version, type.name, message);
  }
  std::string text;
  const auto encoded = api::EncodeJson(object, type, text);
  FLYBALL_CHECK(encoded, encoded.error().Describe());
  return EncodeJsonResponse(std::move(text), media_type);
}

std::string ResponseEncoder::Object(const RecordPtr& record, bool head_shown) const {
  const Kind& kind = *resource_->kind;
  if (media_type_.form == Form::kTable) {
    meta::v1::ListMeta head;
    head.resourceVersion = record->resource_version();
    const TableOptions options{media_type_.included, head_shown};
    return EncodeJsonResponse(
        JsonText(TableOf(*resource_, {record}, head, clock_.WallNow(), options)), media_type_);
  }
  const bool protobuf = media_type_.media == MediaType::kProtobuf;
  if (media_type_.form == Form::kMetadata) {
    if (protobuf) {
      return api::SealEnvelope(kMetaVersion, "PartialObjectMetadata", Message(MetadataOf(*record)));
    }
    return EncodeJsonResponse(MetadataJson(*record), media_type_);
  }
  if (protobuf) {
    std::string converted;
    return api::SealEnvelope(kind.api_version(), kind.name(),
                             WholeProtobuf(*record, kind, converted));
  }
  return EncodeJsonResponse(WholeJson(*record, kind, TypeMembers::kShown), media_type_);
}

std::string ResponseEncoder::List(const ListHead& head,
                                  const std::vector<RecordPtr>& records) const {
  const Kind& kind = *resource_->kind;
  const bool metadata = media_type_.form == Form::kMetadata;
  const std::string name = metadata ? "PartialObjectMetadataList" : resource_->list_kind;
  const std::string version = metadata ? std::string(kMetaVersion) : kind.api_version();
  if (media_type_.form == Form::kTable) {
    return EncodeJsonResponse(JsonText(TableOf(*resource_, records, ListMetaOf(head),
                                               clock_.WallNow(), {media_type_.included})),
                              media_type_);
  }
  std::vector<std::string> items;
  items.reserve(records.size());
  if (media_type_.media == MediaType::kProtobuf) {
    const std::string list_meta = Message(ListMetaOf(head));
    api::ListFrame list{list_meta, {}};
    list.items.reserve(records.size());
    for (const RecordPtr& record : records) {
      std::string& made = items.emplace_back();
      if (metadata) made = Message(MetadataOf(*record));
      list.items.push_back(metadata ? made : WholeProtobuf(*record, kind, made));
    }
    return api::SealList(version, name, list);
  }
  for (const RecordPtr& record : records) {
    items.push_back(metadata ? MetadataJson(*record)
                             : WholeJson(*record, kind, TypeMembers::kOfCustomKinds));
  }
  std::string list_meta = JsonText(ListMetaOf(head));
  // PARITY: lists of custom objects always say where they go on.
  if (kind.custom() && !metadata && head.continue_token.empty()) {
    list_meta = R"({"continue":"",)" + list_meta.substr(1);
  }
  return EncodeJsonResponse(JsonList(name, version, list_meta, items), media_type_);
}

std::string ResponseEncoder::Frame(std::string_view type, std::string_view object) const {
  if (media_type_.media == MediaType::kProtobuf) {
    meta::v1::WatchEvent event;
    event.type = type;
    event.object.raw = object;
    return api::SealFrame(Message(event));
  }
  while (object.ends_with('\n')) object.remove_suffix(1);
  return "{\"type\":\"" + std::string(type) + "\",\"object\":" + std::string(object) + "}\n";
}

std::string ResponseEncoder::Event(std::string_view type, const RecordPtr& record,
                                   bool first) const {
  return Frame(type, Object(record, first));
}

std::string ResponseEncoder::Bookmark(std::string_view resource_version, bool initial_end) const {
  // An object of the kind with a version and nothing else.
  const Kind& kind = *resource_->kind;
  AnyObject object(kind.type());
  auto& metadata = kind.Metadata(object);
  metadata.resourceVersion = resource_version;
  if (initial_end) metadata.annotations[kInitialEventsEnd] = "true";
  if (kind.custom()) kind.Stamp(object);
  return Frame("BOOKMARK", Object(std::make_shared<const Record>(resource_->kind, object)));
}

std::string ResponseEncoder::ErrorEvent(const meta::v1::Status& status) const {
  meta::v1::Status stamped = status;
  stamped.kind = "Status";
  stamped.apiVersion = "v1";
  const NegotiatedMediaType plain{.media = media_type_.media};
  return Frame("ERROR", EncodeResponse(stamped, plain));
}

}  // namespace flyball::sandbox
