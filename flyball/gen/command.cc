#include "flyball/gen/command.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "flyball/gen/generate.h"
#include "flyball/gen/output.h"

namespace flyball::gen {
namespace {

namespace fs = std::filesystem;

constexpr char kUsage[] =
    "usage: flyball gen api --schema DIR [--views FILE,...] [--printed TYPE,...] [--registry] "
    "--out DIR";

Result<Schema> ReadSchema(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".schema") files.push_back(entry.path());
  }
  if (error) return Fail(ErrorCode::kIo, folder.string(), error.message());
  if (files.empty()) return Fail(ErrorCode::kNotFound, folder.string(), "no *.schema files");
  std::ranges::sort(files);
  Schema schema;
  for (const auto& file : files) {
    FLYBALL_TRY(const std::string text, ReadFile(file.string()));
    FLYBALL_TRY(schema.AddFile(file.string(), text));
  }
  return schema;
}

Result<std::map<std::string, std::string>> ParseOptions(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const bool known =
        name == "--schema" || name == "--views" || name == "--printed" || name == "--out";
    if (name == "--registry") {
      options[name] = "true";
    } else if (known && i + 1 < arguments.size()) {
      options[name] = arguments[++i];
    } else {
      return Fail(ErrorCode::kBadRequest, "'" + name + "'; " + kUsage);
    }
  }
  return options;
}

}  // namespace

Result<> RunCommand(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] != "api") return Fail(ErrorCode::kBadRequest, kUsage);
  FLYBALL_TRY(auto options, ParseOptions(arguments));
  if (!options.contains("--schema") || !options.contains("--out")) {
    return Fail(ErrorCode::kBadRequest, kUsage);
  }
  FLYBALL_TRY(const Schema schema, ReadSchema(options["--schema"]));
  FLYBALL_TRY(auto files, GenerateApi(schema, Split(options["--printed"], ',')));
  for (const std::string& file : Split(options["--views"], ',')) {
    FLYBALL_TRY(const std::string text, ReadFile(file));
    FLYBALL_TRY(const auto views, ParseViews(schema, file, text));
    FLYBALL_TRY(auto generated, GenerateViews(schema, views, fs::path(file).stem().string()));
    std::ranges::move(generated, std::back_inserter(files));
  }
  if (options.contains("--registry")) files.push_back(GenerateRegistry(schema));
  return WriteFiles(options["--out"], files);
}

}  // namespace flyball::gen
