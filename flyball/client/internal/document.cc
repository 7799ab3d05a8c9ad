#include "flyball/client/internal/document.h"

#include <algorithm>

#include "flyball/api/base64.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/client/internal/header_text.h"

namespace flyball::client {
namespace {

/// Whether there are only comments and null: to the YAML reader that is no document.
bool SaysNothing(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = TrimSpace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool nothing = line.empty() || line.starts_with('#') || line == "---" || line == "..." ||
                         line == "null" || line == "~";
    if (!nothing) return false;
  }
  return true;
}

}  // namespace

Result<Document> Document::Parse(std::string_view text, std::string name) {
  if (SaysNothing(text)) return Document(api::Json(), std::move(name));
  api::JsonTreeSink tree;
  if (const auto read = api::ReadYaml(text, tree); !read) {
    std::string message = read.error().message();
    // The reasons that come with a place may quote the text: `token: *secret` is an alias.
    if (const auto end = message.find(": "); message.starts_with("YAML, line ")) {
      message.resize(end);
    }
    return Fail(ErrorCode::kMalformed, std::move(name), "invalid " + message);
  }
  return Document(tree.Take(), std::move(name));
}

DocumentNode Document::root() { return {*this, &json_, ""}; }

void Document::Complain(const std::string& path, std::string message) {
  if (complaint_) return;
  complaint_.emplace(ErrorCode::kMalformed, path.empty() ? name_ : name_ + ": " + path,
                     std::move(message));
}

Result<> Document::Check() const {
  if (complaint_) return std::unexpected(*complaint_);
  return {};
}

template <typename T>
const T* DocumentNode::As(std::string_view what) const {
  if (!present()) return nullptr;
  const T* value = json_->If<T>();
  if (value == nullptr) Complain("must be " + std::string(what));
  return value;
}

DocumentNode DocumentNode::operator[](std::string_view name) const {
  const auto* object = As<api::Json::Object>("a mapping");
  std::string path = path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  return {*document_, object == nullptr ? nullptr : object->find(name), std::move(path)};
}

std::string DocumentNode::Text() const {
  const auto* text = As<std::string>("a string");
  return text == nullptr ? "" : *text;
}

bool DocumentNode::Bool() const {
  const bool* value = As<bool>("true or false");
  return value != nullptr && *value;
}

std::string DocumentNode::Bytes() const {
  if (present() && json_->If<api::Json::Array>() != nullptr) return ListedBytes();
  auto bytes = api::DecodeBase64(Text());
  if (bytes) return *std::move(bytes);
  Complain("must be base64");
  return "";
}

std::string DocumentNode::ListedBytes() const {
  std::string bytes;
  for (const DocumentNode& element : Elements()) {
    const std::int64_t* const number = element.As<std::int64_t>("a byte");
    if (number != nullptr && (*number < 0 || *number > 255)) {
      element.Complain("must be a byte, from 0 to 255");
    }
    bytes += static_cast<char>(number == nullptr ? 0 : *number);
  }
  return bytes;
}

std::vector<DocumentNode> DocumentNode::Elements() const {
  std::vector<DocumentNode> elements;
  const auto* array = As<api::Json::Array>("a list");
  if (array == nullptr) return elements;
  for (std::size_t i = 0; i < array->size(); ++i) {
    elements.emplace_back(*document_, &(*array)[i], path_ + "[" + std::to_string(i) + "]");
  }
  return elements;
}

std::vector<std::string> DocumentNode::Texts() const {
  std::vector<std::string> texts;
  for (const DocumentNode& element : Elements()) texts.push_back(element.Text());
  return texts;
}

std::vector<std::pair<std::string, DocumentNode>> DocumentNode::Members() const {
  std::vector<std::pair<std::string, DocumentNode>> members;
  const auto* object = As<api::Json::Object>("a mapping");
  if (object == nullptr) return members;
  for (const auto& [name, value] : *object) members.emplace_back(name, (*this)[name]);
  return members;
}

}  // namespace flyball::client
