#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "flyball/cli/convert.h"
#include "flyball/cli/version.h"
#include "flyball/crd/command.h"
#include "flyball/gen/command.h"

namespace {

int Report(const char* command, const flyball::Result<>& result) {
  if (result) return 0;
  std::cerr << "flyball " << command << ": " << result.error().Describe() << "\n";
  return 1;
}

/// What the words behind `gen` ask for; the generators read the rest themselves.
flyball::Result<> Generate(const std::vector<std::string>& arguments) {
  const bool crd = !arguments.empty() && arguments[0] == "crd";
  return crd ? flyball::crd::RunCommand(arguments) : flyball::gen::RunCommand(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Flyball: Kubernetes' control loops in C++.", "flyball");
  app.require_subcommand(1);

  flyball::cli::ConvertOptions convert_options;
  CLI::App* convert =
      app.add_subcommand("convert", "Print an object of any kind as JSON, YAML or protobuf");
  convert->add_option("-f,--filename", convert_options.file, "file to read; - is standard input")
      ->capture_default_str();
  convert->add_option("-o,--output", convert_options.output, "json, yaml or protobuf")
      ->capture_default_str();

  CLI::App* gen =
      app.add_subcommand("gen", "Write C++ types and tables: api from schema files, crd from CRDs");
  gen->prefix_command();

  CLI::App* version = app.add_subcommand("version", "Print the version");

  CLI11_PARSE(app, argc, argv);
  if (*convert) return Report("convert", flyball::cli::Convert(convert_options));
  if (*gen) return Report("gen", Generate(gen->remaining()));
  if (*version) std::cout << flyball::cli::VersionText() << "\n";
  return 0;
}
