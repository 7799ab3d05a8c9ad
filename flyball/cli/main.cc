#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "flyball/cli/convert.h"
#include "flyball/cli/version.h"
#include "flyball/gen/command.h"

namespace {

int Report(const char* command, const flyball::Result<>& result) {
  if (result) return 0;
  std::cerr << "flyball " << command << ": " << result.error().Describe() << "\n";
  return 1;
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

  CLI::App* gen = app.add_subcommand("gen", "Write C++ types and tables from schema files");
  gen->prefix_command();

  CLI::App* version = app.add_subcommand("version", "Print the version");

  CLI11_PARSE(app, argc, argv);
  if (*convert) return Report("convert", flyball::cli::Convert(convert_options));
  if (*gen) return Report("gen", flyball::gen::RunCommand(gen->remaining()));
  if (*version) std::cout << flyball::cli::VersionText() << "\n";
  return 0;
}
