#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

/// YAML text as the nodes it is made of, before they mean anything.
namespace flyball::api {

enum class YamlForm : std::uint8_t { kNull, kScalar, kSequence, kMapping };

struct YamlNode {
  YamlForm form = YamlForm::kNull;
  int line = 0;
  int column = 0;
  std::string tag;   ///< "?" for a plain scalar, "!" for a quoted one, else what the text says
  std::string text;  ///< of a scalar
  /// Elements; of a mapping keys and values in turn. An alias is the node it stands for, which may
  /// be one that this node is in.
  std::vector<const YamlNode*> children;
};

/// Throws DecodeFailure{"YAML, line 1, column 2: why"}.
[[noreturn]] void RefuseYaml(int line, int column, std::string_view why);

/// The one document of a text. The root's address holds as long as the tree.
struct YamlTree {
  std::deque<YamlNode> nodes;
  const YamlNode* root = nullptr;
};

/// Throws DecodeFailure for bad syntax, more or less than one document that is not empty, and what
/// nests deeper than kMaxDepth.
YamlTree ReadYamlTree(std::string_view text);

}  // namespace flyball::api
