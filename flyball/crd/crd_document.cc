#include "flyball/crd/crd_document.h"

#include <algorithm>

#include "flyball/api/object.h"

namespace flyball::crd {
namespace {

using apiextensions::v1::CustomResourceDefinition;

bool IsSeparator(std::string_view line) {
  return line.starts_with("---") && (line.size() == 3 || line[3] == ' ' || line[3] == '\r');
}

bool SaysNothing(std::string_view line) {
  const auto first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || line[first] == '#';
}

/// The documents of a text that say anything.
std::vector<std::string_view> SplitDocuments(std::string_view text) {
  std::vector<std::string_view> documents;
  std::size_t start = 0;
  bool empty = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (IsSeparator(line)) {
      if (!empty) documents.push_back(text.substr(start, at - start));
      start = at;
      empty = line.size() == 3 || SaysNothing(line.substr(3));
    } else {
      empty = empty && SaysNothing(line);
    }
    at = std::min(end + 1, text.size());
  }
  if (!empty) documents.push_back(text.substr(start));
  return documents;
}

Result<CustomResourceDefinition> ReadCrd(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  FLYBALL_TRY(const api::AnyObject object,
              api::DecodeObject(text, json ? api::Format::kJson : api::Format::kYaml));
  const auto* crd = object.As<CustomResourceDefinition>();
  if (!crd) {
    return Fail(ErrorCode::kUnsupported, "kind",
                "a " + std::string(object.type().name) + " of " + object.type().ApiVersion() +
                    ", where a CustomResourceDefinition of apiextensions.k8s.io/v1 belongs");
  }
  return *crd;
}

}  // namespace

std::unexpected<Error> FailIn(const CrdDocument& document, std::string_view path,
                              std::string message) {
  const std::string place = document.place.empty() ? "" : document.place + ": ";
  return Fail(ErrorCode::kInvalid, place + std::string(path), std::move(message));
}

Result<std::vector<CrdDocument>> ReadCrds(std::string_view file, std::string_view text) {
  const auto parts = SplitDocuments(text);
  if (parts.empty()) return Fail(ErrorCode::kMalformed, std::string(file), "no document");
  std::vector<CrdDocument> documents;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CrdDocument document;
    document.place = file;
    if (i > 0) document.place += ", document " + std::to_string(i + 1);
    auto crd = ReadCrd(parts[i]);
    if (!crd) {
      const Error& error = crd.error();
      const std::string inner = error.path().empty() ? "" : ": " + error.path();
      return Fail(error.code(), document.place + inner, error.message());
    }
    document.crd = *std::move(crd);
    documents.push_back(std::move(document));
  }
  return documents;
}

}  // namespace flyball::crd
