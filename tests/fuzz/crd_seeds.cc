#include "tests/fuzz/crd_seeds.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "flyball/api/json_encode.h"
#include "flyball/base/check.h"
#include "flyball/crd/crd_document.h"
#include "flyball/gen/output.h"

namespace flyball::crd {
namespace {

using apiextensions::v1::CustomResourceDefinition;
using apiextensions::v1::JSONSchemaProps;

std::vector<CrdDocument> AllCrds() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(FLYBALL_TEST_CRDS)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<CrdDocument> crds;
  for (const auto& file : files) {
    const auto text = gen::ReadFile(file.string());
    FLYBALL_CHECK(text, file.string());
    auto documents = ReadCrds(file.string(), *text);
    FLYBALL_CHECK(documents, documents.error().Describe());
    std::ranges::move(*documents, std::back_inserter(crds));
  }
  return crds;
}

/// Schemas with one member each, of one of the root's members that are objects.
std::vector<JSONSchemaProps> Pieces(const JSONSchemaProps& root) {
  std::vector<JSONSchemaProps> pieces;
  for (const auto& [name, part] : root.properties) {
    for (const auto& [inner, member] : part.properties) {
      JSONSchemaProps piece;
      piece.type = "object";
      JSONSchemaProps only = part;
      only.properties = {{inner, member}};
      piece.properties.insert_or_assign(name, std::move(only));
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

}  // namespace

void WriteCrdSeeds(std::size_t longest, const std::function<void(std::string_view)>& write) {
  for (const CrdDocument& document : AllCrds()) {
    for (const auto& version : document.crd.spec.versions) {
      CustomResourceDefinition crd = document.crd;
      crd.spec.versions = {version};
      crd.spec.versions[0].storage = true;
      for (const JSONSchemaProps& piece : Pieces(*version.schema->openAPIV3Schema)) {
        *crd.spec.versions[0].schema->openAPIV3Schema = piece;
        const auto text = api::EncodeJson(crd);
        FLYBALL_CHECK(text, text.error().Describe());
        if (text->size() <= longest) write(*text);
      }
    }
  }
}

}  // namespace flyball::crd
