#include "flyball/sandbox/representation.h"

#include <algorithm>
#include <ranges>

#include "flyball/api/envelope.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/json_reader.h"
#include "flyball/api/json_writer.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/yaml_writer.h"
#include "flyball/base/check.h"
#include "flyball/sandbox/table.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using api::Json;
using meta::v1::PartialObjectMetadata;

constexpr std::string_view kMetaVersion = "meta.k8s.io/v1";
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// One clause of an Accept header.
struct Clause {
  std::string_view type;
  std::string_view as, group, version;
};

Clause ParseClause(std::string_view text) {
  Clause clause;
  bool first = true;
  for (const auto part : std::views::split(text, ';')) {
    const std::string_view piece = Trim({part.begin(), part.end()});
    if (std::exchange(first, false)) {
      clause.type = piece;
      continue;
    }
    const auto equals = piece.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = piece.substr(0, equals);
    const std::string_view value = piece.substr(equals + 1);
    if (name == "as") clause.as = value;
    if (name == "g") clause.group = value;
    if (name == "v") clause.version = value;
  }
  return clause;
}

std::optional<MediaType> MediaOf(std::string_view type, bool protobuf) {
  if (type == "*/*" || type == "application/*" || type == "application/json") {
    return MediaType::kJson;
  }
  if (type == "application/yaml") return MediaType::kYaml;
  if (protobuf && type == "application/vnd.kubernetes.protobuf") return MediaType::kProtobuf;
  return std::nullopt;
}

std::optional<Form> FormOf(const Clause& clause) {
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

/// The metadata alone of what is stored. Every kind's protobuf has it in field 1.
PartialObjectMetadata MetadataOf(const Record& record) {
  PartialObjectMetadata metadata;
  if (record.kind().custom()) {
    const AnyObject object = record.Decode();
    metadata.metadata = record.kind().Metadata(object);
  } else {
    auto decoded = api::DecodeProtobuf<PartialObjectMetadata>(record.bytes());
    FLYBALL_CHECK(decoded, decoded.error().Describe());
    metadata.metadata = std::move(decoded->metadata);
  }
  return metadata;
}

PartialObjectMetadata Stamped(PartialObjectMetadata metadata) {
  metadata.kind = "PartialObjectMetadata";
  metadata.apiVersion = kMetaVersion;
  return metadata;
}

/// The whole object in JSON; in lists built-in kinds do not say what they are.
std::string WholeJson(const Record& record, bool in_list) {
  if (record.kind().custom()) return std::string(record.bytes());
  AnyObject object = record.Decode();
  if (!in_list) record.kind().Stamp(object);
  std::string text;
  const auto encoded = api::EncodeJson(object.get(), object.type(), text);
  FLYBALL_CHECK(encoded, encoded.error().Describe());
  return text;
}

template <typename T>
std::string Message(const T& object) {
  auto bytes = api::EncodeProtobuf(object);
  FLYBALL_CHECK(bytes, bytes.error().Describe());
  return *std::move(bytes);
}

void AppendVarint(std::string& out, std::size_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

/// A field of a protobuf message that holds bytes.
void AppendField(std::string& out, int number, std::string_view bytes) {
  AppendVarint(out, static_cast<std::size_t>(number) << 3 | 2);
  AppendVarint(out, bytes.size());
  out += bytes;
}

meta::v1::ListMeta ListMetaOf(const ListHead& head) {
  meta::v1::ListMeta metadata;
  metadata.resourceVersion = head.resource_version;
  metadata.continue_ = head.continue_token;
  metadata.remainingItemCount = head.remaining;
  return metadata;
}

std::string JsonList(std::string_view kind, std::string_view api_version, const ListHead& head,
                     const std::vector<std::string>& items) {
  std::string out = "{\"kind\":" + Json(kind).ToString() +
                    ",\"apiVersion\":" + Json(api_version).ToString() +
                    ",\"metadata\":" + JsonText(ListMetaOf(head)) + ",\"items\":[";
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

Answered<Representation> Representation::Choose(const Request& request, bool protobuf) {
  Representation chosen;
  const Query& query = request.target.query;
  chosen.pretty =
      query.Has("pretty") ? query.IsTrue("pretty") : IsForPeople(request.Header("user-agent"));
  const std::string_view accept = request.Header("accept");
  if (accept.empty()) return chosen;
  bool transformed = false;
  for (const auto each : std::views::split(accept, ',')) {
    const Clause clause = ParseClause({each.begin(), each.end()});
    transformed |= !clause.as.empty();
    const auto media = MediaOf(clause.type, protobuf);
    const auto form = FormOf(clause);
    if (!media || !form) continue;
    chosen.media = *media;
    chosen.form = *form;
    return chosen;
  }
  if (transformed) {
    return std::unexpected(
        NotAcceptable("only the following media types are accepted: " + Accepted(protobuf)));
  }
  return std::unexpected(
      NotAcceptable("406: Not Acceptable\n\nAvailable representations: " + Accepted(protobuf) +
                    ", application/json;stream=watch" +
                    (protobuf ? ", application/vnd.kubernetes.protobuf;stream=watch" : "")));
}

std::string Representation::ContentType(bool watch) const {
  std::string type(ToString(media));
  if (watch && media == MediaType::kProtobuf) type += ";stream=watch";
  return type;
}

Answered<MediaType> MediaTypeOf(const Request& request, bool protobuf) {
  const std::string_view header = request.Header("content-type");
  if (header.empty()) return MediaType::kJson;
  const std::string_view type = Trim(header.substr(0, header.find(';')));
  if (type != "*/*" && type != "application/*") {
    if (const auto media = MediaOf(type, protobuf)) return *media;
  }
  return std::unexpected(UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: " +
      Accepted(protobuf)));
}

std::string PresentJson(std::string json, Representation representation) {
  if (representation.media == MediaType::kYaml) {
    const auto tree = Json::Parse(json);
    FLYBALL_CHECK(tree, tree.error().Describe());
    return ToYaml(*tree);
  }
  return representation.pretty ? Indented(json) : std::move(json) + "\n";
}

std::string Present(const void* object, const api::TypeInfo& type, Representation representation) {
  if (representation.media == MediaType::kProtobuf && !type.json_only) {
    std::string message;
    const auto encoded = api::EncodeProtobuf(object, type, message);
    FLYBALL_CHECK(encoded, encoded.error().Describe());
    return api::SealEnvelope(type.ApiVersion(), type.name, message);
  }
  std::string text;
  const auto encoded = api::EncodeJson(object, type, text);
  FLYBALL_CHECK(encoded, encoded.error().Describe());
  return PresentJson(std::move(text), representation);
}

std::string Presenter::Object(const RecordPtr& record) const {
  const Kind& kind = *resource_->kind;
  if (representation_.form == Form::kTable) {
    meta::v1::ListMeta head;
    head.resourceVersion = record->resource_version();
    return PresentJson(JsonText(TableOf(*resource_, {record}, head, clock_.WallNow())),
                       representation_);
  }
  const bool protobuf = representation_.media == MediaType::kProtobuf;
  if (representation_.form == Form::kMetadata) {
    const PartialObjectMetadata metadata = MetadataOf(*record);
    if (protobuf) {
      return api::SealEnvelope(kMetaVersion, "PartialObjectMetadata", Message(metadata));
    }
    return PresentJson(JsonText(Stamped(metadata)), representation_);
  }
  if (protobuf) return api::SealEnvelope(kind.api_version(), kind.name(), record->bytes());
  return PresentJson(WholeJson(*record, /*in_list=*/false), representation_);
}

std::string Presenter::List(const ListHead& head, const std::vector<RecordPtr>& records) const {
  const Kind& kind = *resource_->kind;
  const bool metadata = representation_.form == Form::kMetadata;
  const std::string name = metadata ? "PartialObjectMetadataList" : resource_->list_kind;
  const std::string version = metadata ? std::string(kMetaVersion) : kind.api_version();
  if (representation_.form == Form::kTable) {
    return PresentJson(JsonText(TableOf(*resource_, records, ListMetaOf(head), clock_.WallNow())),
                       representation_);
  }
  if (representation_.media == MediaType::kProtobuf) {
    std::string message;
    AppendField(message, 1, Message(ListMetaOf(head)));
    for (const RecordPtr& record : records) {
      AppendField(message, 2,
                  metadata ? Message(MetadataOf(*record)) : std::string(record->bytes()));
    }
    return api::SealEnvelope(version, name, message);
  }
  std::vector<std::string> items;
  items.reserve(records.size());
  for (const RecordPtr& record : records) {
    items.push_back(metadata ? JsonText(Stamped(MetadataOf(*record)))
                             : WholeJson(*record, /*in_list=*/true));
  }
  return PresentJson(JsonList(name, version, head, items), representation_);
}

std::string Presenter::Frame(std::string_view type, std::string_view object) const {
  if (representation_.media == MediaType::kProtobuf) {
    std::string raw;
    AppendField(raw, 1, object);
    std::string event;
    AppendField(event, 1, type);
    AppendField(event, 2, raw);
    return api::SealFrame(event);
  }
  while (object.ends_with('\n')) object.remove_suffix(1);
  return "{\"type\":\"" + std::string(type) + "\",\"object\":" + std::string(object) + "}\n";
}

std::string Presenter::Event(std::string_view type, const RecordPtr& record) const {
  return Frame(type, Object(record));
}

std::string Presenter::Bookmark(std::string_view resource_version, bool initial_end) const {
  // An object of the kind with a version and nothing else.
  const Kind& kind = *resource_->kind;
  AnyObject object(kind.type());
  auto& metadata = kind.Metadata(object);
  metadata.resourceVersion = resource_version;
  if (initial_end) metadata.annotations[kInitialEventsEnd] = "true";
  if (kind.custom()) kind.Stamp(object);
  return Frame("BOOKMARK", Object(std::make_shared<const Record>(resource_->kind, object)));
}

std::string Presenter::ErrorEvent(const meta::v1::Status& status) const {
  meta::v1::Status stamped = status;
  stamped.kind = "Status";
  stamped.apiVersion = "v1";
  const Representation plain{.media = representation_.media};
  return Frame("ERROR", Present(stamped, plain));
}

}  // namespace flyball::sandbox
