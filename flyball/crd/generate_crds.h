#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/gen/generate.h"

/// CRDs in, C++ out. Pure: files are values until somebody writes them.
namespace flyball::crd {

struct InputFile {
  std::string path;  ///< as errors name it
  std::string text;
};

/// For every group and version a header, flyball/crds/cert_manager_io/v1.h with the namespace
/// flyball::cert_manager_io::v1, and for every input file one source with the tables,
/// flyball/crds/certificates_table.cc for certificates.yaml: so a build knows what comes out
/// without looking in. `name_space` ("shop" or "acme::shop") stands for the group where it is
/// given.
Result<std::vector<gen::OutputFile>> GenerateCrds(const std::vector<InputFile>& files,
                                                  std::string_view name_space = {});

/// "crds/certificates.yaml" -> "flyball/crds/certificates_table.cc".
std::string TableFileOf(std::string_view path);

}  // namespace flyball::crd
