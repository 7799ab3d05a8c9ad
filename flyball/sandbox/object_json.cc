#include "flyball/sandbox/object_json.h"

#include "flyball/api/json.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/base/check.h"
#include "flyball/sandbox/conversion.h"

namespace flyball::sandbox {

using api::AnyObject;
using api::Json;
using meta::v1::PartialObjectMetadata;

std::string WholeJson(const Record& record, const Kind& wanted, TypeMembers members) {
  if (record.kind().custom()) {
    std::string text(record.bytes());
    if (record.kind().version() == wanted.version()) return text;
    auto tree = Json::Parse(text);
    FLYBALL_CHECK(tree, tree.error().Describe());
    if (auto* const object = tree->If<Json::Object>()) {
      (*object)["apiVersion"] = wanted.api_version();
    }
    return tree->ToString();
  }
  AnyObject object = Convert(record.Decode(), wanted.type());
  if (members == TypeMembers::kShown) wanted.Stamp(object);
  std::string text;
  const auto encoded = api::EncodeJson(object.get(), object.type(), text);
  FLYBALL_CHECK(encoded, encoded.error().Describe());
  return text;
}

std::string_view WholeProtobuf(const Record& record, const Kind& wanted, std::string& converted) {
  if (&record.kind().type() == &wanted.type()) return record.bytes();
  converted = wanted.Store(Convert(record.Decode(), wanted.type()));
  return converted;
}

PartialObjectMetadata MetadataOf(const Record& record) {
  PartialObjectMetadata metadata;
  if (record.kind().custom()) {
    const AnyObject object = record.Decode();
    metadata.metadata = record.kind().Metadata(object);
  } else {
    // Every kind's protobuf has it in field 1.
    auto decoded = api::DecodeProtobuf<PartialObjectMetadata>(record.bytes());
    FLYBALL_CHECK(decoded, decoded.error().Describe());
    metadata.metadata = std::move(decoded->metadata);
  }
  return metadata;
}

std::string MetadataJson(const Record& record) {
  PartialObjectMetadata metadata = MetadataOf(record);
  metadata.kind = "PartialObjectMetadata";
  metadata.apiVersion = "meta.k8s.io/v1";
  auto text = api::EncodeJson(metadata);
  FLYBALL_CHECK(text, text.error().Describe());
  return *std::move(text);
}

}  // namespace flyball::sandbox
