#include "flyball/cli/convert.h"

#include <fstream>
#include <iostream>
#include <iterator>

#include "flyball/api/object.h"

namespace flyball::cli {
namespace {

Result<std::string> ReadAll(const std::string& file) {
  if (file == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) return Fail(ErrorCode::kIo, file, "cannot be opened");
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (in.bad() || (bytes.empty() && in.fail() && !in.eof())) {
    return Fail(ErrorCode::kIo, file, "cannot be read");
  }
  return bytes;
}

}  // namespace

Result<> Convert(const ConvertOptions& options) {
  const auto output = api::ParseFormat(options.output);
  if (!output) {
    return Fail(ErrorCode::kBadRequest,
                "-o " + options.output + ": must be json, yaml or protobuf");
  }
  FLYBALL_TRY(const std::string bytes, ReadAll(options.file));
  if (bytes.empty()) return Fail(ErrorCode::kMalformed, options.file, "is empty");
  FLYBALL_TRY(const api::AnyObject object, api::DecodeObject(bytes, api::DetectFormat(bytes)));
  for (const std::string& path : api::FieldsLostIn(object, *output)) {
    std::cerr << "flyball convert: warning: " << options.output << " cannot carry " << path
              << ", which the schema does not name\n";
  }
  FLYBALL_TRY(const std::string text, api::EncodeObject(object, *output));
  std::cout << text << std::flush;
  if (!std::cout) return Fail(ErrorCode::kIo, "standard output cannot be written");
  return {};
}

}  // namespace flyball::cli
