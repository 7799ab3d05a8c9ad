#include "tests/parity/world.h"

#include "tests/scenario/scenario_file.h"

namespace flyball::parity {

Result<Reference> Reference::Parse(const std::string& text) {
  constexpr std::string_view kIn = " in ";
  Reference reference;
  std::string rest = text;
  if (const auto in = rest.find(kIn); in != std::string::npos) {
    reference.key.namespace_ = rest.substr(in + kIn.size());
    rest.resize(in);
  }
  if (const auto slash = rest.find('/'); slash != std::string::npos) {
    reference.key.name = rest.substr(slash + 1);
    rest.resize(slash);
    if (reference.key.name.empty()) return Fail(ErrorCode::kMalformed, text + ": of what name?");
  }
  if (const auto dot = rest.find('.'); dot != std::string::npos) {
    reference.group = rest.substr(dot + 1);
    rest.resize(dot);
  }
  reference.plural = rest;
  if (rest.empty() || rest.contains(' ')) {
    return Fail(ErrorCode::kMalformed, text + ": not like \"secrets/token in other\"");
  }
  return reference;
}

std::string Reference::ToString() const {
  std::string text = plural;
  if (!group.empty()) text += "." + group;
  if (!key.name.empty()) text += "/" + key.name;
  if (!key.namespace_.empty()) text += " in " + key.namespace_;
  return text;
}

std::string TextAtPath(const api::Json& tree, std::string_view path) {
  const api::Json* const found = scenario::FindPath(tree, path);
  const auto* const text = found == nullptr ? nullptr : found->If<std::string>();
  return text == nullptr ? "" : *text;
}

}  // namespace flyball::parity
