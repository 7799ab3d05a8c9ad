#include "flyball/api/yaml_reader.h"

#include <cmath>
#include <set>
#include <string>

#include "flyball/api/decode_path.h"
#include "flyball/api/yaml_scalar.h"
#include "flyball/api/yaml_tree.h"

namespace flyball::api {
namespace {

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
        sink_.BeginObject();
        std::set<std::string> seen;
        Members(node, seen, /*merging=*/false);
        sink_.EndObject();
        break;
      }
    }
    --depth_;
  }

 private:
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
    if (std::holds_alternative<YamlNull>(value)) Refuse(key, "a key cannot be null");
    return key.text;
  }

  /// Sends the members of a mapping that were not seen yet, then those it merges in: what a
  /// mapping says itself goes before what it merges, and of what it says twice the last counts.
  void Members(const YamlNode& map, std::set<std::string>& seen, bool merging) {
    std::vector<const YamlNode*> merges;
    std::vector<std::string> names;
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
      const YamlNode& key = *map.children[i];
      CountNode(key);
      if (key.form == YamlForm::kNull) Refuse(key, "a key cannot be null");
      if (key.form != YamlForm::kScalar) Refuse(key, "a key has to be a scalar");
      const YamlScalar resolved = Resolve(key);
      if (std::holds_alternative<YamlMerge>(resolved)) {
        merges.push_back(map.children[i + 1]);
        continue;
      }
      std::string name = KeyText(key, resolved);
      if (seen.contains(name)) continue;
      sink_.Key(name);
      Value(*map.children[i + 1]);
      names.push_back(std::move(name));
    }
    if (merges.empty() && !merging) return;
    for (std::string& name : names) seen.insert(std::move(name));
    for (const YamlNode* merge : merges) {
      if (merge->form != YamlForm::kSequence) {
        Merge(*merge, seen);
        continue;
      }
      for (const YamlNode* element : merge->children) Merge(*element, seen);
    }
  }

  /// A mapping that merges itself goes down for ever, and may send nothing on the way.
  void Merge(const YamlNode& node, std::set<std::string>& seen) {
    if (++depth_ > kMaxDepth) Refuse(node, "nested deeper than 100 levels");
    CountNode(node);
    if (node.form != YamlForm::kMapping) Refuse(node, "only mappings can be merged");
    Members(node, seen, /*merging=*/true);
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
