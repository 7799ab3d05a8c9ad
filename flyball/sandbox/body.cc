#include "flyball/sandbox/body.h"

#include <algorithm>
#include <functional>
#include <set>

#include "flyball/api/envelope.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_reader.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/registry.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/sandbox/conversion.h"
#include "flyball/sandbox/custom/custom_schema.h"
#include "flyball/sandbox/metadata_rules.h"
#include "flyball/sandbox/storable.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using api::Json;

/// Complains of members that are not known, and of those that an object names twice, which a tree
/// does not show any more, in the order of a text.
class Complainer final : public api::JsonSink {
 public:
  explicit Complainer(const std::vector<std::string>& unknown)
      : unknown_(unknown.begin(), unknown.end()) {}

  void BeginObject() override { frames_.push_back({PathOfValue(), {}, {}, -1}); }
  void Key(std::string_view name) override {
    Frame& frame = frames_.back();
    frame.key = name;
    const bool fresh = frame.keys.emplace(name).second;
    if (fresh && unknown_.empty()) return;
    const std::string path = PathOfValue();
    if (!fresh) {
      complaints_.push_back("duplicate field \"" + path + "\"");
    } else if (unknown_.erase(path) > 0) {
      complaints_.push_back(Unknown(path));
    }
  }
  void EndObject() override { frames_.pop_back(); }
  void BeginArray() override { frames_.push_back({PathOfValue(), {}, {}, 0}); }
  void EndArray() override { frames_.pop_back(); }
  void String(std::string_view) override { Leaf(); }
  void Number(std::string_view) override { Leaf(); }
  void Bool(bool) override { Leaf(); }
  void Null() override { Leaf(); }

  std::vector<std::string> Take() {
    for (const std::string& path : unknown_) complaints_.push_back(Unknown(path));
    return std::move(complaints_);
  }

 private:
  struct Frame {
    std::string path;
    std::string key;
    std::set<std::string, std::less<>> keys;
    int index;  // of the next element; -1 in an object
  };

  static std::string Unknown(const std::string& path) { return "unknown field \"" + path + "\""; }

  std::string PathOfValue() {
    if (frames_.empty()) return {};
    Frame& frame = frames_.back();
    if (frame.index >= 0) return frame.path + "[" + std::to_string(frame.index++) + "]";
    return frame.path.empty() ? frame.key : frame.path + "." + frame.key;
  }
  void Leaf() {
    if (!frames_.empty() && frames_.back().index >= 0) ++frames_.back().index;
  }

  std::set<std::string, std::less<>> unknown_;  // those that have not come up yet
  std::vector<Frame> frames_;
  std::vector<std::string> complaints_;
};

/// The start of a body as error messages show it: what could be JSON as it is, other bytes in hex.
std::string Excerpt(std::string_view body) {
  constexpr std::size_t kShown = 30;
  if (body.empty()) return "<empty>";
  const std::string_view shown = body.substr(0, kShown);
  const std::string rest = body.size() > kShown ? " ..." : "";
  if (body.front() == '{') return std::string(shown) + rest;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : shown) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return hex + rest;
}

ApiStatusError Unrecognized(const Kind& kind, std::string_view why, std::string_view body) {
  return BadRequest("the object provided is unrecognized (must be of type " + kind.name() +
                    "): " + std::string(why) + " (" + Excerpt(body) + ")");
}

ApiStatusError CannotBeHandled(std::string_view kind, std::string_view version, const Kind& wanted,
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

/// As upstream's Go packages of internal types are called: "core", "apps", "rbac".
std::string_view PackageOf(std::string_view group) {
  return group.empty() ? "core" : group.substr(0, group.find('.'));
}

/// Whether what the body says it is, is what is wanted; it may leave that open.
StatusOr<> CheckKind(const Kind& wanted, std::string_view api_version, std::string_view kind,
                     std::string_view body) {
  if (std::ranges::count(api_version, '/') > 1) {
    return std::unexpected(
        Unrecognized(wanted, "unexpected GroupVersion string: " + std::string(api_version), body));
  }
  const std::string said_kind(kind.empty() ? wanted.name() : kind);
  const std::string said_version(api_version.empty() ? wanted.api_version() : api_version);
  if (said_kind == wanted.name() && said_version == wanted.api_version()) return {};
  const std::string version = said_version.substr(said_version.find('/') + 1);
  if (said_kind == wanted.name() && (wanted.custom() || IsOtherVersion(wanted, said_version))) {
    return std::unexpected(BadRequest("the API version in the data (" + said_version +
                                      ") does not match the expected API version (" +
                                      wanted.api_version() + ")"));
  }
  if (wanted.custom()) return {};  // said with the object's name, when that is known
  const bool known = said_kind == "List" || api::FindKind(said_version, said_kind) != nullptr;
  return std::unexpected(
      CannotBeHandled(said_kind, version, wanted,
                      known ? "converting (" + version + "." + said_kind + ") to (" +
                                  std::string(PackageOf(wanted.group())) + "." + wanted.name() +
                                  "): unknown conversion"
                            : "no kind \"" + said_kind + "\" is registered for version \"" +
                                  said_version + "\" in scheme \"pkg/runtime/scheme.go:111\""));
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
  void Null() override { null |= depth == 0; }

  int depth = 0;
  bool null = false;  ///< it is nothing else
  std::string key, kind, api_version;
};

Result<Json> YamlTree(std::string_view text) {
  api::JsonTreeSink tree;
  FLYBALL_TRY(api::ReadYaml(text, tree));
  return tree.Take();
}

StatusOr<AnyObject> ReadProtobuf(const std::string& body, const Kind& kind) {
  if (body.empty()) return std::unexpected(Unrecognized(kind, "empty data", body));
  if (!api::HasProtobufMagic(body)) {
    return std::unexpected(Unrecognized(kind,
                                        "provided data does not appear to be a protobuf message, "
                                        "expected prefix [107 56 115 0]",
                                        body));
  }
  const auto envelope = api::OpenEnvelope(body);
  if (!envelope) return std::unexpected(Unrecognized(kind, envelope.error().message(), body));
  if (body.size() == api::kProtobufMagic.size()) {
    return std::unexpected(Unrecognized(kind, "empty body", body));
  }
  FLYBALL_TRY(CheckKind(kind, envelope->api_version, envelope->kind, body));
  AnyObject object(kind.type());
  const auto read = api::DecodeProtobuf(envelope->raw, kind.type(), object.get());
  if (!read) {
    return std::unexpected(
        CannotBeHandled(kind.name(), kind.version(), kind, read.error().Describe()));
  }
  FLYBALL_TRY(CheckJsonForm(kind, object));
  return object;
}

/// `body` is what was sent, JSON or not.
StatusOr<AnyObject> ReadJsonObject(const std::string& text, std::string_view body,
                                   const Kind& kind) {
  TypeMetaSink said;
  if (const auto read = api::ReadJson(text, said); !read) {
    return std::unexpected(Unrecognized(
        kind, "couldn't get version/kind; json parse error: " + read.error().Describe(), body));
  }
  if (kind.custom() && said.kind.empty()) {
    return std::unexpected(
        Unrecognized(kind, "Object 'Kind' is missing in '" + std::string(body) + "'", body));
  }
  FLYBALL_TRY(CheckKind(kind, said.api_version, said.kind, body));
  AnyObject object(kind.type());
  if (said.null) return object;  // as Go: an object with nothing in it
  const auto read = api::DecodeJson(text, kind.type(), object.get());
  if (!read) {
    return std::unexpected(
        CannotBeHandled(kind.name(), kind.version(), kind, read.error().Describe()));
  }
  if (kind.custom() && said.kind != kind.name()) {
    return std::unexpected(
        Invalid(kind.group(), said.kind, kind.Metadata(object).name,
                {FieldError::Invalid("kind", said.kind, "must be " + kind.name())}));
  }
  return object;
}

/// Makes of a custom object what its schema makes of it; the members that it lost.
Result<std::vector<std::string>> HoldToSchema(AnyObject& object, const Kind& kind) {
  if (kind.schema() == nullptr) return {};
  FLYBALL_TRY(Json tree, kind.ToJson(object));
  auto unknown = kind.schema()->Prune(tree);
  kind.schema()->SetDefaults(tree);
  FLYBALL_TRY(object, kind.FromJson(tree));
  return unknown;
}

}  // namespace

std::string StrictError(const std::vector<std::string>& complaints) {
  std::string all;
  for (const std::string& complaint : complaints) all += (all.empty() ? "" : ", ") + complaint;
  return "strict decoding error: " + all;
}

StatusOr<std::vector<std::string>> DropUnknown(AnyObject& object, const Kind& kind,
                                               FieldValidation validation, std::string_view text) {
  std::vector<std::string> unknown;
  if (kind.custom()) {
    kind.Metadata(object).unknown_fields = {};
    FLYBALL_TRY(unknown, HoldToSchema(object, kind));
  } else {
    unknown = api::FieldsLostIn(object, api::Format::kProtobuf);
    if (!unknown.empty()) {
      FLYBALL_TRY(object, kind.Restore(kind.Store(object)));
    }
  }
  if (validation == FieldValidation::kIgnore) return std::vector<std::string>();
  Complainer complainer(unknown);
  if (!text.empty()) {
    // What is no JSON was refused before.
    [[maybe_unused]] const auto read = api::ReadJson(text, complainer);
  }
  return complainer.Take();
}

StatusOr<Body> ReadBody(const Request& request, const Kind& kind, FieldValidation validation) {
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
  FLYBALL_TRY(AnyObject object, ReadJsonObject(text, request.http.body, kind));
  FLYBALL_TRY(auto warnings, DropUnknown(object, kind, validation, text));
  if (validation == FieldValidation::kStrict && !warnings.empty()) {
    return std::unexpected(
        CannotBeHandled(kind.name(), kind.version(), kind, StrictError(warnings)));
  }
  for (std::string& warning : DropRepeatedOwners(kind.Metadata(object))) {
    warnings.push_back(std::move(warning));
  }
  return Body{std::move(object), std::move(warnings)};
}

StatusOr<> ReadOptions(const Request& request, const api::TypeInfo& type, void* object) {
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
  TypeMetaSink said;
  if (media == MediaType::kJson && api::ReadJson(body, said) && !said.kind.empty() &&
      said.kind != type.name) {
    return std::unexpected(BadRequest("no kind \"" + said.kind + "\" is registered for version \"" +
                                      said.api_version +
                                      "\" in scheme \"pkg/runtime/scheme.go:111\""));
  }
  return {};
}

}  // namespace flyball::sandbox
