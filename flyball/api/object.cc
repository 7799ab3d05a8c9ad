#include "flyball/api/object.h"

#include "flyball/api/envelope.h"
#include "flyball/api/internal/decode_path.h"
#include "flyball/api/internal/field_access.h"
#include "flyball/api/json.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/json_reader.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/registry.h"
#include "flyball/api/utf8.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/api/yaml_writer.h"

namespace flyball::api {
namespace {

/// Picks `apiVersion` and `kind` out of a document and lets the rest pass.
class TypeMetaSink final : public JsonSink {
 public:
  void BeginObject() override { ++depth_; }
  void Key(std::string_view name) override {
    target_ = nullptr;
    if (depth_ != 1) return;
    if (name == "kind") target_ = &kind;
    if (name == "apiVersion") target_ = &api_version;
    if (name == "object") has_object = true;
  }
  void EndObject() override { --depth_; }
  void BeginArray() override { ++depth_; }
  void EndArray() override { --depth_; }
  void String(std::string_view text) override {
    if (target_ && depth_ == 1) *target_ = text;
  }
  void Number(std::string_view) override {}
  void Bool(bool) override {}
  void Null() override {}

  std::string api_version;
  std::string kind;
  bool has_object = false;

 private:
  int depth_ = 0;
  std::string* target_ = nullptr;
};

void ReadText(std::string_view text, Format format, JsonSink& sink) {
  if (format == Format::kYaml) {
    ReadYamlOrThrow(text, sink);
  } else {
    ReadJsonOrThrow(text, sink);
  }
}

/// The kind of an object by its own words. Watch events alone say nothing of theirs.
Result<const TypeInfo*> KindOf(std::string_view api_version, std::string_view kind,
                               bool maybe_watch_event, std::span<const TypeInfo* const> custom) {
  if (api_version.empty() && kind.empty() && maybe_watch_event) return FindKind("", "WatchEvent");
  if (api_version.empty()) return Fail(ErrorCode::kMalformed, "apiVersion", "not given");
  if (kind.empty()) return Fail(ErrorCode::kMalformed, "kind", "not given");
  const TypeInfo* type = FindKind(custom, api_version, kind);
  if (!type) type = FindKind(api_version, kind);
  if (!type) {
    return Fail(ErrorCode::kUnsupported, ToValidUtf8("there is no kind " + std::string(kind) +
                                                     " in " + std::string(api_version)));
  }
  return type;
}

/// What the envelope, or the caller, knows of an object and protobuf does not repeat inside it.
void StampTypeMeta(AnyObject& object, std::string_view api_version, std::string_view kind) {
  if (!object.type().has_type_meta) return;
  for (const Field& field : object.type().fields) {
    if (field.name == "kind") As<std::string>(At(object.get(), field)) = kind;
    if (field.name == "apiVersion") As<std::string>(At(object.get(), field)) = api_version;
  }
}

std::string ReadTypeMeta(const AnyObject& object, std::string_view name) {
  if (object.type().has_type_meta) {
    for (const Field& field : object.type().fields) {
      if (field.name == name) return As<std::string>(At(object.get(), field));
    }
  }
  return {};
}

/// Walks an object for fields that the schema does not name.
class UnknownFinder {
 public:
  UnknownFinder(bool json, std::vector<std::string>& found) : json_(json), found_(found) {}

  void Object(const void* object, const TypeInfo& type, const std::string& path) {
    const UnknownFields& unknown = UnknownOf(object, type);
    if (json_) {
      for (const auto& [name, text] : unknown.json()) found_.push_back(path + name);
    } else if (!unknown.protobuf().empty()) {
      found_.push_back(path + "<" + std::to_string(unknown.protobuf().size()) +
                       " bytes of unknown protobuf fields>");
    }
    for (const Field& field : type.fields) {
      if (field.kind != Kind::kMessage) continue;
      Member(At(object, field), field, type.is_bare ? path.substr(0, path.size() - 1) : path);
    }
  }

 private:
  void Member(const void* member, const Field& field, const std::string& path) {
    const std::string here = path + std::string(field.name);
    switch (field.shape) {
      case Shape::kInlined:
        return Object(member, *field.message, path);
      case Shape::kValue:
        return Object(member, *field.message, here + ".");
      case Shape::kOptional:
        if (const void* value = GetOptional(member, field)) {
          Object(value, *field.message, here + ".");
        }
        return;
      case Shape::kList:
        for (std::size_t i = 0; i < ListSize(member, field); ++i) {
          Object(ListAt(member, field, i), *field.message, here + "[" + std::to_string(i) + "].");
        }
        return;
      case Shape::kMap:
        for (std::size_t i = 0; i < MapSize(member, field); ++i) {
          Object(MapValue(member, field, i), *field.message,
                 here + "[" + MapKey(member, field, i) + "].");
        }
        return;
    }
  }

  const bool json_;
  std::vector<std::string>& found_;
};

Result<AnyObject> DecodeText(std::string_view text, Format format,
                             std::span<const TypeInfo* const> custom) {
  std::optional<ObjectSink> into;
  try {
    TypeMetaSink meta;
    ReadText(text, format, meta);
    FLYBALL_TRY(const TypeInfo* const type,
                KindOf(meta.api_version, meta.kind, meta.has_object, custom));
    AnyObject object(*type);
    into.emplace(*type, object.get(), text.size());
    ReadText(text, format, into->sink());
    return object;
  } catch (const DecodeFailure& failure) {
    return Fail(ErrorCode::kMalformed, into ? into->Path() : "", failure.message);
  }
}

Result<AnyObject> DecodeEnvelope(std::string_view bytes) {
  FLYBALL_TRY(const Envelope envelope, OpenEnvelope(bytes));
  if (!envelope.content_type.empty() &&
      envelope.content_type != "application/vnd.kubernetes.protobuf") {
    return Fail(ErrorCode::kUnsupported,
                ToValidUtf8("the envelope holds " + std::string(envelope.content_type)));
  }
  FLYBALL_TRY(const TypeInfo* const type, KindOf(envelope.api_version, envelope.kind, true, {}));
  AnyObject object(*type);
  FLYBALL_TRY(DecodeProtobuf(envelope.raw, *type, object.get()));
  StampTypeMeta(object, envelope.api_version, envelope.kind);
  return object;
}

}  // namespace

std::optional<Format> ParseFormat(std::string_view name) {
  if (name == "json") return Format::kJson;
  if (name == "yaml") return Format::kYaml;
  if (name == "protobuf") return Format::kProtobuf;
  return std::nullopt;
}

Format DetectFormat(std::string_view bytes) {
  if (HasProtobufMagic(bytes)) return Format::kProtobuf;
  const auto first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{' ? Format::kJson : Format::kYaml;
}

Result<AnyObject> DecodeObject(std::string_view bytes, Format format,
                               std::span<const TypeInfo* const> custom) {
  return format == Format::kProtobuf ? DecodeEnvelope(bytes) : DecodeText(bytes, format, custom);
}

Result<std::string> EncodeObject(const AnyObject& object, Format format) {
  const TypeInfo& type = object.type();
  std::string out;
  switch (format) {
    case Format::kJson: {
      constexpr int kIndent = 2;
      FLYBALL_TRY(EncodeJson(object.get(), type, out, kIndent));
      return out + "\n";
    }
    case Format::kYaml: {
      FLYBALL_TRY(const Json document, ToJson(object.get(), type));
      return ToYaml(document);
    }
    case Format::kProtobuf: {
      FLYBALL_TRY(EncodeProtobuf(object.get(), type, out));
      std::string api_version = ReadTypeMeta(object, "apiVersion");
      std::string kind = ReadTypeMeta(object, "kind");
      if (type.has_type_meta && api_version.empty()) api_version = type.ApiVersion();
      if (type.has_type_meta && kind.empty()) kind = type.name;
      return SealEnvelope(api_version, kind, out);
    }
  }
  return out;
}

std::vector<std::string> FieldsLostIn(const AnyObject& object, Format format) {
  std::vector<std::string> lost;
  UnknownFinder(/*json=*/format == Format::kProtobuf, lost).Object(object.get(), object.type(), "");
  return lost;
}

}  // namespace flyball::api
