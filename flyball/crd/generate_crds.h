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
/// flyball::cert_manager_io::v1; `name_space` ("shop" or "acme::shop") stands for the group where
/// it is given. It includes what the input files gave: certificates.yaml gives
/// flyball/crds/certificates_types.h and certificates_table.cc. These names a build knows without
/// looking into the file, so that it sees in the same run what changed.
Result<std::vector<gen::OutputFile>> GenerateCrds(const std::vector<InputFile>& files,
                                                  std::string_view name_space = {});

}  // namespace flyball::crd
