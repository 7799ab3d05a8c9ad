#include "flyball/sandbox/body.h"

#include <algorithm>

#include "flyball/api/envelope.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_reader.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/registry.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/sandbox/conversion.h"
#include "flyball/sandbox/custom/custom_schema.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using api::Json;

/// Finds members that an object names twice, which a tree does not show any more.
class DuplicateFinder final : public api::JsonSink {
 public:
  void BeginObject() override { frames_.push_back({PathOfValue(), {}, {}, -1}); }
  void Key(std::string_view name) override {
    Frame& frame = frames_.back();
    frame.key = name;
    if (std::ranges::find(frame.keys, name) != frame.keys.end()) {
      duplicates_.push_back(PathOfValue());
    } else {
      frame.keys.emplace_back(name);
    }
  }
  void EndObject() override { frames_.pop_back(); }
  void BeginArray() override { frames_.push_back({PathOfValue(), {}, {}, 0}); }
  void EndArray() override { frames_.pop_back(); }
  void String(std::string_view) override { Leaf(); }
  void Number(std::string_view) override { Leaf(); }
  void Bool(bool) override { Leaf(); }
  void Null() override { Leaf(); }

  std::vector<std::string> Take() { return std::move(duplicates_); }

 private:
  struct Frame {
    std::string path;
    std::string key;
    std::vector<std::string> keys;
    int index;  // of the next element; -1 in an object
  };

  std::string PathOfValue() {
    if (frames_.empty()) return {};
    Frame& frame = frames_.back();
    if (frame.index >= 0) return frame.path + "[" + std::to_string(frame.index++) + "]";
    return frame.path.empty() ? frame.key : frame.path + "." + frame.key;
  }
  void Leaf() {
    if (!frames_.empty() && frames_.back().index >= 0) ++frames_.back().index;
  }

  std::vector<Frame> frames_;
  std::vector<std::string> duplicates_;
};

std::vector<std::string> DuplicatesIn(std::string_view text) {
  DuplicateFinder finder;
  if (!api::ReadJson(text, finder)) return {};
  return finder.Take();
}

/// The start of a body as error messages show it.
std::string Excerpt(std::string_view body) {
  if (body.empty()) return "<empty>";
  const bool printable = std::ranges::all_of(body, [](char c) { return c >= ' ' && c <= '~'; });
  if (printable) return std::string(body.substr(0, 1024));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : body.substr(0, 1024)) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return hex;
}

Refusal Unrecognized(const Kind& kind, std::string_view why, std::string_view body) {
  return BadRequest("the object provided is unrecognized (must be of type " + kind.name() +
                    "): " + std::string(why) + " (" + Excerpt(body) + ")");
}

Refusal CannotBeHandled(std::string_view kind, std::string_view version, const Kind& wanted,
                        std::string_view why) {
  return BadRequest(std::string(kind) + " in version \"" + std::string(version) +
                    "\" cannot be handled as a " + wanted.name() + ": " + std::string(why));
}

/// Whether it names another version of the same objects.
bool IsOtherVersion(const Kind& wanted, std::string_view api_version) {
  if (api_version == wanted.api_version()) return false;
  const api::TypeInfo* const said = api::FindKind(api_version, wanted.name());
  return said != nullptr && AreVersions(*said, wanted.type());
}

/// Whether what the body says it is, is what is wanted; it may leave that open.
Answered<> CheckKind(const Kind& wanted, std::string_view api_version, std::string_view kind) {
  const auto slash = api_version.find('/');
  const std::string_view version =
      slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  if (!kind.empty() && kind != wanted.name()) {
    return std::unexpected(
        CannotBeHandled(kind, version.empty() ? wanted.version() : version, wanted,
                        "converting (" + std::string(version) + "." + std::string(kind) + ") to (" +
                            wanted.name() + "): unknown conversion"));
  }
  if (IsOtherVersion(wanted, api_version)) {
    return std::unexpected(BadRequest("the API version in the data (" + std::string(api_version) +
                                      ") does not match the expected API version (" +
                                      wanted.api_version() + ")"));
  }
  if (!api_version.empty() && api_version != wanted.api_version()) {
    return std::unexpected(CannotBeHandled(wanted.name(), version, wanted,
                                           "no kind \"" + wanted.name() +
                                               "\" is registered for version \"" +
                                               std::string(api_version) + "\""));
  }
  return {};
}

/// JSON that says what it is, if it says so at all.
struct TypeMetaSink final : api::JsonSink {
  void BeginObject() override { ++depth; }
  void Key(std::string_view name) override { key = name; }
  void EndObject() override { --depth; }
  void BeginArray() override { ++depth; }
  void EndArray() override { --depth; }
  void String(std::string_view text) override {
    if (depth != 1) return;
    if (key == "kind") kind = text;
    if (key == "apiVersion") api_version = text;
  }
  void Number(std::string_view) override {}
  void Bool(bool) override {}
  void Null() override {}

  int depth = 0;
  std::string key, kind, api_version;
};

Result<Json> YamlTree(std::string_view text) {
  api::JsonTreeSink tree;
  FLYBALL_TRY(api::ReadYaml(text, tree));
  return tree.Take();
}

Answered<AnyObject> ReadProtobuf(const std::string& body, const Kind& kind) {
  if (!api::HasProtobufMagic(body)) {
    return std::unexpected(Unrecognized(kind,
                                        "provided data does not appear to be a protobuf message, "
                                        "expected prefix [107 56 115 0]",
                                        body));
  }
  const auto envelope = api::OpenEnvelope(body);
  if (!envelope) return std::unexpected(Unrecognized(kind, envelope.error().message(), body));
  FLYBALL_TRY(CheckKind(kind, envelope->api_version, envelope->kind));
  AnyObject object(kind.type());
  const auto read = api::DecodeProtobuf(envelope->raw, kind.type(), object.get());
  if (!read) {
    return std::unexpected(
        CannotBeHandled(kind.name(), kind.version(), kind, read.error().Describe()));
  }
  return object;
}

Answered<AnyObject> ReadJsonObject(const std::string& text, const Kind& kind) {
  TypeMetaSink said;
  if (const auto read = api::ReadJson(text, said); !read) {
    return std::unexpected(Unrecognized(
        kind, "couldn't get version/kind; json parse error: " + read.error().Describe(), text));
  }
  FLYBALL_TRY(CheckKind(kind, said.api_version, said.kind));
  AnyObject object(kind.type());
  const auto read = api::DecodeJson(text, kind.type(), object.get());
  if (!read) {
    return std::unexpected(
        CannotBeHandled(kind.name(), kind.version(), kind, read.error().Describe()));
  }
  return object;
}

/// Makes of a custom object what its schema makes of it; complaints of members that it lost.
Result<std::vector<std::string>> HoldToSchema(AnyObject& object, const Kind& kind) {
  std::vector<std::string> complaints;
  if (kind.schema() == nullptr) return complaints;
  FLYBALL_TRY(Json tree, kind.ToJson(object));
  for (const std::string& field : kind.schema()->Prune(tree)) {
    complaints.push_back("unknown field \"" + field + "\"");
  }
  kind.schema()->SetDefaults(tree);
  FLYBALL_TRY(object, kind.FromJson(tree));
  return complaints;
}

}  // namespace

Answered<FieldValidation> FieldValidationOf(const Query& query, std::string_view options) {
  const std::string_view wanted = query.Get("fieldValidation");
  if (wanted.empty() || wanted == "Warn") return FieldValidation::kWarn;
  if (wanted == "Ignore") return FieldValidation::kIgnore;
  if (wanted == "Strict") return FieldValidation::kStrict;
  return std::unexpected(Invalid(
      "meta.k8s.io", options, "",
      {FieldError::NotSupported("fieldValidation", wanted, {"", "Ignore", "Strict", "Warn"})}));
}

Answered<std::vector<std::string>> DropUnknown(AnyObject& object, const Kind& kind,
                                               FieldValidation validation, std::string_view text) {
  std::vector<std::string> complaints;
  if (!kind.custom()) {
    for (const std::string& field : api::FieldsLostIn(object, api::Format::kProtobuf)) {
      complaints.push_back("unknown field \"" + field + "\"");
    }
  } else {
    kind.Metadata(object).unknown_fields = {};
    FLYBALL_TRY(complaints, HoldToSchema(object, kind));
  }
  if (validation == FieldValidation::kIgnore) return std::vector<std::string>();
  for (const std::string& field : DuplicatesIn(text)) {
    complaints.push_back("duplicate field \"" + field + "\"");
  }
  if (validation == FieldValidation::kWarn || complaints.empty()) return complaints;
  std::string all;
  for (const std::string& complaint : complaints) all += (all.empty() ? "" : ", ") + complaint;
  return std::unexpected(
      CannotBeHandled(kind.name(), kind.version(), kind, "strict decoding error: " + all));
}

Answered<Body> ReadBody(const Request& request, const Kind& kind, FieldValidation validation) {
  FLYBALL_TRY(const MediaType media, MediaTypeOf(request, !kind.custom()));
  if (media == MediaType::kProtobuf) {
    FLYBALL_TRY(AnyObject object, ReadProtobuf(request.http.body, kind));
    return Body{std::move(object)};
  }
  std::string text = request.http.body;
  if (media == MediaType::kYaml) {
    const auto tree = YamlTree(text);
    if (!tree) return std::unexpected(Unrecognized(kind, tree.error().Describe(), text));
    text = tree->ToString();
  }
  FLYBALL_TRY(AnyObject object, ReadJsonObject(text, kind));
  FLYBALL_TRY(auto warnings, DropUnknown(object, kind, validation, text));
  return Body{std::move(object), std::move(warnings)};
}

Answered<> ReadOptions(const Request& request, const api::TypeInfo& type, void* object) {
  const std::string& body = request.http.body;
  if (body.empty()) return {};
  FLYBALL_TRY(const MediaType media, MediaTypeOf(request, true));
  Result<> read;
  if (media == MediaType::kProtobuf) {
    FLYBALL_TRY(const api::Envelope envelope, api::OpenEnvelope(body));
    read = api::DecodeProtobuf(envelope.raw, type, object);
  } else if (media == MediaType::kYaml) {
    FLYBALL_TRY(const Json tree, YamlTree(body));
    read = api::DecodeJson(tree.ToString(), type, object);
  } else {
    read = api::DecodeJson(body, type, object);
  }
  if (!read) return std::unexpected(BadRequest(read.error().Describe()));
  return {};
}

}  // namespace flyball::sandbox
