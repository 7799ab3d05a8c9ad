#include "flyball/api/yaml_reader.h"

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "flyball/api/internal/decode_path.h"
#include "flyball/api/internal/yaml_scalar.h"
#include "flyball/api/internal/yaml_tree.h"

namespace flyball::api {
namespace {

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

  void Value(const YamlNode& node) {
    if (++depth_ > kMaxDepth) Refuse(node, "nested deeper than 100 levels");
    CountNode(node);
    switch (node.form) {
      case YamlForm::kNull:
        sink_.Null();
        break;
      case YamlForm::kScalar:
        Scalar(node);
        break;
      case YamlForm::kSequence:
        sink_.BeginArray();
        for (const YamlNode* element : node.children) Value(*element);
        sink_.EndArray();
        break;
      case YamlForm::kMapping: {
        MemberNodes members;
        Collect(node, members);
        sink_.BeginObject();
        for (const auto& [name, value] : members) {
          sink_.Key(name);
          Value(*value);
        }
        sink_.EndObject();
        break;
      }
    }
    --depth_;
  }

 private:
  using MemberNodes = std::map<std::string, const YamlNode*>;

  /// Without aliases a node takes at least a byte, so only aliases can reach the limit.
  static constexpr std::size_t kAliasFactor = 10;
  static constexpr std::size_t kSmallText = 1000;

  [[noreturn]] static void Refuse(const YamlNode& node, std::string_view why) {
    RefuseYaml(node.line, node.column, why);
  }

  void CountNode(const YamlNode& node) {
    if (nodes_left_-- == 0) Refuse(node, "aliases blow the document up");
  }

  static YamlScalar Resolve(const YamlNode& node) {
    const std::string& tag = node.tag;
    if (tag == "?" || tag.empty()) return ResolveYamlScalar(node.text);
    if (tag == "!" || tag == "tag:yaml.org,2002:str") return node.text;
    static const std::set<std::string> kTyped = {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float",
                                                 "tag:yaml.org,2002:bool", "tag:yaml.org,2002:null",
                                                 "tag:yaml.org,2002:timestamp"};
    if (kTyped.contains(tag)) return ResolveYamlScalar(node.text);
    Refuse(node, "the tag " + tag + " has no meaning in an API object");
  }

  void Scalar(const YamlNode& node) {
    const YamlScalar value = Resolve(node);
    if (std::holds_alternative<YamlNull>(value)) return sink_.Null();
    if (const bool* flag = std::get_if<bool>(&value)) return sink_.Bool(*flag);
    if (const double* number = std::get_if<double>(&value)) {
      if (!std::isfinite(*number)) Refuse(node, "JSON has no number " + node.text);
      return sink_.Double(*number);
    }
    if (const auto* number = std::get_if<std::int64_t>(&value)) return sink_.Int(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) {
      return sink_.Number(std::to_string(*number));
    }
    sink_.String(node.text);
  }

  /// Numbers and booleans are allowed as keys and become text, as upstream.
  static std::string KeyText(const YamlNode& key, const YamlScalar& value) {
    if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
    if (const double* number = std::get_if<double>(&value)) return FloatKeyText(*number);
    if (std::holds_alternative<YamlNull>(value)) Refuse(key, "a key cannot be null");
    return key.text;
  }

  /// PARITY: as upstream, in the order in which they are written, so that a mapping's own members
  /// win over merged ones only behind the merge; of what is said twice the last counts.
  void Collect(const YamlNode& map, MemberNodes& members) {
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
      const YamlNode& key = *map.children[i];
      const YamlNode& value = *map.children[i + 1];
      CountNode(key);
      if (key.form == YamlForm::kNull) Refuse(key, "a key cannot be null");
      if (key.form != YamlForm::kScalar) Refuse(key, "a key has to be a scalar");
      const YamlScalar resolved = Resolve(key);
      if (!std::holds_alternative<YamlMerge>(resolved)) {
        members[KeyText(key, resolved)] = &value;
      } else if (value.form == YamlForm::kSequence) {
        // The first in the list wins.
        for (std::size_t j = value.children.size(); j > 0; --j) {
          Merge(*value.children[j - 1], members);
        }
      } else {
        Merge(value, members);
      }
    }
  }

  /// A mapping that merges itself goes down for ever, and may send nothing on the way.
  void Merge(const YamlNode& node, MemberNodes& members) {
    if (++depth_ > kMaxDepth) Refuse(node, "nested deeper than 100 levels");
    CountNode(node);
    if (node.form != YamlForm::kMapping) Refuse(node, "only mappings can be merged");
    Collect(node, members);
    --depth_;
  }

  JsonSink& sink_;
  std::size_t nodes_left_;
  int depth_ = 0;
};

}  // namespace

void ReadYamlOrThrow(std::string_view text, JsonSink& sink) {
  const YamlTree tree = ReadYamlTree(text);
  Walker(sink, text.size()).Value(*tree.root);
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
