#include "flyball/crd/definition_check.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "flyball/api/label_validation.h"
#include "flyball/crd/schema_place.h"

namespace flyball::crd {
namespace {

using apiextensions::v1::CustomResourceDefinitionNames;
using apiextensions::v1::CustomResourceDefinitionVersion;

/// Lower case letters, digits and dashes, a letter in front, and no dash behind.
bool IsDns1035Label(std::string_view text) {
  constexpr std::size_t kMaxLength = 63;
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_inner = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && text.size() <= kMaxLength && is_letter(text.front()) &&
         text.back() != '-' && std::ranges::all_of(text, is_inner);
}

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

template <std::size_t N>
bool IsOneOf(std::string_view text, const std::string_view (&choices)[N]) {
  return std::ranges::find(choices, text) != std::end(choices);
}

Result<> CheckNames(const CrdDocument& document, const CustomResourceDefinitionNames& names) {
  const std::string path = "spec.names.";
  const auto label = [&](const char* member, const std::string& text) -> Result<> {
    if (IsDns1035Label(text)) return {};
    return FailIn(document, path + member, "not a DNS label: " + api::QuoteForMessage(text));
  };
  FLYBALL_TRY(label("plural", names.plural));
  FLYBALL_TRY(label("kind", Lower(names.kind)));
  if (!names.singular.empty()) FLYBALL_TRY(label("singular", names.singular));
  if (!names.listKind.empty()) FLYBALL_TRY(label("listKind", Lower(names.listKind)));
  for (const auto& name : names.shortNames) FLYBALL_TRY(label("shortNames", name));
  for (const auto& name : names.categories) FLYBALL_TRY(label("categories", name));
  if (names.kind == names.listKind) {
    return FailIn(document, path + "listKind", "is the kind's own name");
  }
  return {};
}

Result<> CheckScale(const CrdDocument& document, const CustomResourceDefinitionVersion& version,
                    const std::string& path) {
  if (!version.subresources || !version.subresources->scale) return {};
  const auto& scale = *version.subresources->scale;
  const std::string here = path + ".subresources.scale.";
  if (!scale.specReplicasPath.starts_with(".spec.")) {
    return FailIn(document, here + "specReplicasPath", "not a path under .spec");
  }
  if (!scale.statusReplicasPath.starts_with(".status.")) {
    return FailIn(document, here + "statusReplicasPath", "not a path under .status");
  }
  const std::string selector = scale.labelSelectorPath.value_or("");
  if (!selector.empty() && !selector.starts_with(".spec.") && !selector.starts_with(".status.")) {
    return FailIn(document, here + "labelSelectorPath", "not a path under .spec or .status");
  }
  return {};
}

Result<> CheckColumns(const CrdDocument& document, const CustomResourceDefinitionVersion& version,
                      const std::string& path) {
  constexpr std::string_view kTypes[] = {"integer", "number", "string", "boolean", "date"};
  constexpr std::string_view kFormats[] = {"int32", "int64", "float",     "double",
                                           "byte",  "date",  "date-time", "password"};
  for (std::size_t i = 0; i < version.additionalPrinterColumns.size(); ++i) {
    const auto& column = version.additionalPrinterColumns[i];
    const std::string here = IndexPath(path, "additionalPrinterColumns", i);
    if (column.name.empty()) return FailIn(document, here + ".name", "not given");
    if (!IsOneOf(column.type, kTypes)) {
      return FailIn(document, here + ".type", "none of integer, number, string, boolean and date");
    }
    if (!column.format.empty() && !IsOneOf(column.format, kFormats)) {
      return FailIn(document, here + ".format", "not a format of a column");
    }
    if (!column.jsonPath.starts_with('.')) {
      return FailIn(document, here + ".jsonPath", "does not start with a dot");
    }
  }
  return {};
}

Result<> CheckVersions(const CrdDocument& document) {
  const auto& versions = document.crd.spec.versions;
  std::set<std::string> names;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const CustomResourceDefinitionVersion& version = versions[i];
    const std::string path = IndexPath("spec", "versions", i);
    if (!IsDns1035Label(version.name)) {
      return FailIn(document, path + ".name",
                    "not a DNS label: " + api::QuoteForMessage(version.name));
    }
    if (!names.insert(version.name).second) {
      return FailIn(document, path + ".name", "there twice");
    }
    if (!version.schema || !version.schema->openAPIV3Schema) {
      return FailIn(document, path + ".schema.openAPIV3Schema", "not given");
    }
    if (version.deprecationWarning && !version.deprecated) {
      return FailIn(document, path + ".deprecationWarning", "of a version that is not deprecated");
    }
    FLYBALL_TRY(CheckScale(document, version, path));
    FLYBALL_TRY(CheckColumns(document, version, path));
  }
  const auto stored = std::ranges::count_if(versions, &CustomResourceDefinitionVersion::storage);
  if (stored != 1)
    return FailIn(document, "spec.versions", "not exactly one is the storage version");
  return {};
}

}  // namespace

Result<> CheckDefinition(const CrdDocument& document) {
  const auto& spec = document.crd.spec;
  if (!api::ValidateDns1123Subdomain(spec.group) || spec.group.find('.') == std::string::npos) {
    return FailIn(document, "spec.group",
                  "not a domain with a dot: " + api::QuoteForMessage(spec.group));
  }
  FLYBALL_TRY(CheckNames(document, spec.names));
  if (document.crd.metadata.name != spec.names.plural + "." + spec.group) {
    return FailIn(document, "metadata.name",
                  "not " + api::QuoteForMessage(spec.names.plural + "." + spec.group));
  }
  if (spec.scope != "Namespaced" && spec.scope != "Cluster") {
    return FailIn(document, "spec.scope", "neither Namespaced nor Cluster");
  }
  if (spec.preserveUnknownFields) {
    return FailIn(document, "spec.preserveUnknownFields",
                  "not in v1; a schema says x-kubernetes-preserve-unknown-fields");
  }
  return CheckVersions(document);
}

}  // namespace flyball::crd
