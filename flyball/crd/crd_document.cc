#include "flyball/crd/crd_document.h"

#include "flyball/api/object.h"
#include "flyball/api/yaml_documents.h"

namespace flyball::crd {
namespace {

using apiextensions::v1::CustomResourceDefinition;

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
  const auto parts = api::YamlDocumentsIn(text);
  if (parts.empty()) return Fail(ErrorCode::kMalformed, std::string(file), "no document");
  std::vector<CrdDocument> documents;
  for (const api::YamlDocument& part : parts) {
    CrdDocument document;
    document.place = file;
    if (part.number > 1) document.place += ", document " + std::to_string(part.number);
    auto crd = ReadCrd(part.text);
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
