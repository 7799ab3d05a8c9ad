#include "flyball/api/internal/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <unordered_map>

#include "flyball/api/internal/decode_path.h"
#include "flyball/api/internal/yaml_scalar.h"
#include "flyball/api/utf8.h"

namespace flyball::api {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// yaml-cpp resolves the escapes \N and \_ to single bytes of Latin-1, 85 and a0. The text around
/// them is UTF-8, in which no character starts with these.
std::string RepairEscapes(std::string_view scalar) {
  std::string repaired;
  for (std::size_t i = 0; i < scalar.size();) {
    const auto lead = static_cast<unsigned char>(scalar[i]);
    if (lead == 0x85 || lead == 0xa0) repaired += '\xc2';
    const std::size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    repaired += scalar.substr(i, length);
    i += length;
  }
  return repaired;
}

/// Builds the nodes from yaml-cpp's events. Its own trees are slow, have no limit on depth that is
/// ours, and are read by a loop that does not end when a document ends early (`"a",`).
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  YamlTree Take() {
    if (documents_ == 0) throw DecodeFailure{"YAML: no document"};
    if (documents_ > 1) {
      throw DecodeFailure{"YAML: " + std::to_string(documents_) + " documents where one belongs"};
    }
    return std::move(tree_);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    // What is left over when a document is complete, yaml-cpp takes for another one.
    if (++started_ > 1 && !text_.substr(static_cast<std::size_t>(mark.pos)).starts_with("---")) {
      RefuseYaml(mark.line, mark.column, "text behind the end of the document");
    }
    anchors_.clear();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(mark, YamlForm::kNull, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) RefuseYaml(mark.line, mark.column, "an alias of nothing");
    Place(found->second);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode& node = Add(mark, YamlForm::kScalar, anchor);
    node.tag = tag;
    node.text = IsValidUtf8(value) ? value : RepairEscapes(value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, YamlForm::kSequence, tag, anchor);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, YamlForm::kMapping, tag, anchor);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  YamlNode& Add(const YAML::Mark& mark, YamlForm form, YAML::anchor_t anchor) {
    YamlNode& node = tree_.nodes.emplace_back();
    node.form = form;
    node.line = mark.line;
    node.column = mark.column;
    if (anchor != YAML::NullAnchor) anchors_[anchor] = &node;
    Place(&node);
    return node;
  }

  void Open(const YAML::Mark& mark, YamlForm form, const std::string& tag, YAML::anchor_t anchor) {
    if (open_.size() == kMaxDepth) {
      RefuseYaml(mark.line, mark.column, "nested deeper than 100 levels");
    }
    YamlNode& node = Add(mark, form, anchor);
    node.tag = tag;
    open_.push_back(&node);
  }

  void Place(const YamlNode* node) {
    if (!open_.empty()) {
      open_.back()->children.push_back(node);
    } else if (node->form != YamlForm::kNull) {
      // "---" in front or behind makes empty documents, which mean nothing.
      ++documents_;
      tree_.root = node;
    }
  }

  const std::string_view text_;
  YamlTree tree_;
  int started_ = 0;
  int documents_ = 0;
  std::vector<YamlNode*> open_;
  std::unordered_map<YAML::anchor_t, const YamlNode*> anchors_;
};

}  // namespace

void RefuseYaml(int line, int column, std::string_view why) {
  throw DecodeFailure{"YAML, line " + std::to_string(line + 1) + ", column " +
                      std::to_string(column + 1) + ": " + std::string(why)};
}

YamlTree ReadYamlTree(std::string_view text) {
  if (!IsValidUtf8(text)) throw DecodeFailure{"YAML: not valid UTF-8"};
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  // As upstream. Besides, yaml-cpp takes text with zeros near the start for UTF-16 or UTF-32.
  if (const auto found = FindYamlUnprintable(text); found.length != 0) {
    throw DecodeFailure{"YAML: a control character at byte " + std::to_string(found.at)};
  }
  TreeBuilder builder(text);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    // yaml-cpp quotes single bytes, which may be parts of a character.
    const bool readable = IsValidUtf8(error.msg);
    RefuseYaml(error.mark.line, error.mark.column, readable ? error.msg : "bad syntax");
  }
  return builder.Take();
}

}  // namespace flyball::api
