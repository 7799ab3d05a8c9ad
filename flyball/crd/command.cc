#include "flyball/crd/command.h"

#include "flyball/crd/generate_crds.h"
#include "flyball/gen/output.h"

namespace flyball::crd {
namespace {

constexpr char kUsage[] = "usage: flyball gen crd --crd FILE... --out DIR [--namespace NS]";

struct Options {
  std::vector<std::string> files;
  std::string out;
  std::string name_space;
};

Result<Options> ParseOptions(const std::vector<std::string>& arguments) {
  Options options;
  std::string name;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--crd" || argument == "--out" || argument == "--namespace") {
      name = argument;
    } else if (name == "--crd") {
      options.files.push_back(argument);  // and more of them may follow
    } else if (name == "--out" || name == "--namespace") {
      (name == "--out" ? options.out : options.name_space) = argument;
      name.clear();
    } else {
      return Fail(ErrorCode::kBadRequest, "'" + argument + "'; " + kUsage);
    }
  }
  if (options.files.empty() || options.out.empty()) return Fail(ErrorCode::kBadRequest, kUsage);
  return options;
}

}  // namespace

Result<> RunCommand(const std::vector<std::string>& arguments) {
  FLYBALL_TRY(const Options options, ParseOptions(arguments));
  std::vector<InputFile> inputs;
  for (const std::string& file : options.files) {
    FLYBALL_TRY(std::string text, gen::ReadFile(file));
    inputs.push_back({file, std::move(text)});
  }
  FLYBALL_TRY(const auto files, GenerateCrds(inputs, options.name_space));
  return gen::WriteFiles(options.out, files);
}

}  // namespace flyball::crd
