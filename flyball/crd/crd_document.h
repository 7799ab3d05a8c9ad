#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/base/result.h"

namespace flyball::crd {

/// One CustomResourceDefinition and where it came from, for errors: "certificates.yaml", and
/// "certificates.yaml, document 2" where a file has several. Empty where that says nothing.
struct CrdDocument {
  std::string place;
  apiextensions::v1::CustomResourceDefinition crd;
};

/// Reads the CRDs of one file: YAML or JSON, several documents between `---` lines. Whatever is
/// something else, or of another version of the API, is an error.
Result<std::vector<CrdDocument>> ReadCrds(std::string_view file, std::string_view text);

/// An error of a document, with the place in front: "certificates.yaml: spec.names.kind".
std::unexpected<Error> FailIn(const CrdDocument& document, std::string_view path,
                              std::string message);

}  // namespace flyball::crd
