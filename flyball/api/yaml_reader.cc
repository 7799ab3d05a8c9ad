#include "flyball/api/yaml_reader.h"

#include <yaml-cpp/yaml.h>

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "flyball/api/internal/decode_path.h"
#include "flyball/api/internal/yaml_scalar.h"
#include "flyball/api/utf8.h"

namespace flyball::api {
namespace {

std::string Place(const YAML::Mark& mark) {
  return "YAML, line " + std::to_string(mark.line + 1) + ", column " +
         std::to_string(mark.column + 1) + ": ";
}

/// PARITY: upstream prints a float that is a key as Go's %g of a float32.
std::string FloatKeyText(double value) {
  const auto narrow = static_cast<float>(value);
  if (std::isnan(narrow)) return ".nan";
  if (std::isinf(narrow)) return narrow < 0 ? "-.inf" : ".inf";
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), narrow,
                                 std::chars_format::general);
  return {buffer.data(), end.ptr};
}

class Walker {
 public:
  Walker(JsonSink& sink, std::size_t text_size)
      : sink_(sink), nodes_left_(kAliasFactor * (text_size + kSmallText)) {}

  void Value(const YAML::Node& node) {
    if (++depth_ > kMaxDepth) Refuse(node, "nested deeper than 100 levels");
    CountNode(node);
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        sink_.Null();
        break;
      case YAML::NodeType::Scalar:
        Scalar(node);
        break;
      case YAML::NodeType::Sequence:
        sink_.BeginArray();
        for (const YAML::Node& element : node) Value(element);
        sink_.EndArray();
        break;
      case YAML::NodeType::Map: {
        MemberNodes members;
        Collect(node, members);
        sink_.BeginObject();
        for (const auto& [name, value] : members) {
          sink_.Key(name);
          Value(value);
        }
        sink_.EndObject();
        break;
      }
    }
    --depth_;
  }

 private:
  using MemberNodes = std::map<std::string, YAML::Node>;

  /// Without aliases a node takes at least a byte, so only aliases can reach the limit.
  static constexpr std::size_t kAliasFactor = 10;
  static constexpr std::size_t kSmallText = 1000;

  [[noreturn]] static void Refuse(const YAML::Node& node, const std::string& why) {
    throw DecodeFailure{Place(node.Mark()) + why};
  }

  void CountNode(const YAML::Node& node) {
    if (nodes_left_-- == 0) Refuse(node, "aliases blow the document up");
  }

  static YamlScalar Resolve(const YAML::Node& node) {
    const std::string& tag = node.Tag();
    // yaml-cpp's marks: "?" for a plain scalar, "!" for a quoted one.
    if (tag == "?" || tag.empty()) return ResolveYamlScalar(node.Scalar());
    if (tag == "!" || tag == "tag:yaml.org,2002:str") return node.Scalar();
    static const std::set<std::string> kTyped = {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float",
                                                 "tag:yaml.org,2002:bool", "tag:yaml.org,2002:null",
                                                 "tag:yaml.org,2002:timestamp"};
    if (kTyped.contains(tag)) return ResolveYamlScalar(node.Scalar());
    Refuse(node, "the tag " + tag + " has no meaning in an API object");
  }

  void Scalar(const YAML::Node& node) {
    const YamlScalar value = Resolve(node);
    if (std::holds_alternative<YamlNull>(value)) return sink_.Null();
    if (const bool* flag = std::get_if<bool>(&value)) return sink_.Bool(*flag);
    if (const double* number = std::get_if<double>(&value)) {
      if (!std::isfinite(*number)) Refuse(node, "JSON has no number " + node.Scalar());
      return sink_.Double(*number);
    }
    if (const auto* number = std::get_if<std::int64_t>(&value)) return sink_.Int(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) {
      return sink_.Number(std::to_string(*number));
    }
    sink_.String(node.Scalar());
  }

  /// Numbers and booleans are allowed as keys and become text, as upstream.
  std::string KeyText(const YAML::Node& key) {
    if (!key.IsScalar()) Refuse(key, "a key has to be a scalar");
    const YamlScalar value = Resolve(key);
    if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
    if (const double* number = std::get_if<double>(&value)) return FloatKeyText(*number);
    if (std::holds_alternative<YamlNull>(value)) Refuse(key, "a key cannot be null");
    return key.Scalar();
  }

  /// PARITY: as upstream, in the order in which they are written, so that a mapping's own members
  /// win over merged ones only behind the merge; of what is said twice the last counts.
  void Collect(const YAML::Node& map, MemberNodes& members) {
    for (const auto& member : map) {
      CountNode(member.first);
      if (!member.first.IsScalar() || !std::holds_alternative<YamlMerge>(Resolve(member.first))) {
        const auto [at, added] = members.try_emplace(KeyText(member.first), member.second);
        if (!added) at->second.reset(member.second);  // assigning would change the document
      } else if (member.second.IsSequence()) {
        // The first in the list wins.
        for (std::size_t i = member.second.size(); i > 0; --i) Merge(member.second[i - 1], members);
      } else {
        Merge(member.second, members);
      }
    }
  }

  /// What is merged may merge in turn, without end if it merges itself.
  void Merge(const YAML::Node& map, MemberNodes& members) {
    if (!map.IsMap()) Refuse(map, "only mappings can be merged");
    if (++depth_ > kMaxDepth) Refuse(map, "nested deeper than 100 levels");
    Collect(map, members);
    --depth_;
  }

  JsonSink& sink_;
  std::size_t nodes_left_;
  int depth_ = 0;
};

YAML::Node LoadOne(std::string_view text) {
  if (!IsValidUtf8(text)) throw DecodeFailure{"YAML: not valid UTF-8"};
  std::vector<YAML::Node> documents;
  try {
    documents = YAML::LoadAll(std::string(text));
  } catch (const YAML::Exception& error) {
    throw DecodeFailure{Place(error.mark) + error.msg};
  }
  // "---" in front or behind makes empty documents, which mean nothing.
  std::erase_if(documents, [](const YAML::Node& node) { return !node || node.IsNull(); });
  if (documents.empty()) throw DecodeFailure{"YAML: no document"};
  if (documents.size() > 1) {
    throw DecodeFailure{"YAML: " + std::to_string(documents.size()) +
                        " documents where one belongs"};
  }
  return documents.front();
}

}  // namespace

void ReadYamlOrThrow(std::string_view text, JsonSink& sink) {
  const YAML::Node document = LoadOne(text);
  try {
    Walker(sink, text.size()).Value(document);
  } catch (const YAML::Exception& error) {
    throw DecodeFailure{Place(error.mark) + error.msg};
  }
}

Result<> ReadYaml(std::string_view text, JsonSink& sink) {
  try {
    ReadYamlOrThrow(text, sink);
    return {};
  } catch (const DecodeFailure& failure) {
    return Fail(ErrorCode::kMalformed, failure.message);
  }
}

}  // namespace flyball::api
