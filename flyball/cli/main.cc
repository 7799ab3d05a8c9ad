#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "flyball/api/duration.h"
#include "flyball/base/heap_care.h"
#include "flyball/cli/convert.h"
#include "flyball/cli/new_project.h"
#include "flyball/cli/verbs.h"
#include "flyball/cli/version.h"
#include "flyball/crd/command.h"
#include "flyball/gen/command.h"
#include "flyball/up/command.h"

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

/// Says which option of `flyball up` is which.
CLI::App* AddUp(CLI::App& app, flyball::up::Options& options, std::string& pod_startup) {
  CLI::App* up = app.add_subcommand(
      "up", "Run a cluster in this process: API server, simulated nodes, scheduler, controllers");
  up->add_option("--nodes", options.nodes, "how many simulated nodes")
      ->check(CLI::Range(0, 5000))
      ->capture_default_str();
  up->add_flag("--no-nodes", options.no_nodes, "no nodes, and no scheduler");
  up->add_flag("--api-only", options.api_only, "the API server, and nothing else");
  up->add_option("--controllers", options.controllers,
                 "which controllers, as kube-controller-manager takes it: *, name, -name")
      ->delimiter(',');
  up->add_option("--apply", options.apply, "a manifest, or a folder of them, to begin with");
  up->add_option("--data-dir", options.data_dir, "keep the cluster in this folder");
  up->add_option("--kubeconfig", options.kubeconfig, "where to write how to get in")
      ->capture_default_str();
  up->add_option("--port", options.port, "of the API server; 0: any that is free");
  up->add_option("--pod-startup", pod_startup, "how long a pod takes to be ready")
      ->check([](const std::string& text) {
        const auto span = flyball::api::ParseDuration(text);
        return span ? std::string() : span.error().Describe();
      })
      ->capture_default_str();
  up->add_option("--tour", options.tour,
                 "show what controllers do with an application: a manifest, or a folder of them");
  up->add_flag("--once", options.once, "end with the tour");
  up->add_flag("--plain", options.plain, "lines instead of a screen");
  return up;
}

}  // namespace

int main(int argc, char** argv) {
  flyball::ShareOneHeap();
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

  flyball::up::Options up_options;
  std::string pod_startup = "1s";
  const CLI::App* up = AddUp(app, up_options, pod_startup);
  flyball::cli::Verbs verbs(app);

  std::string project;
  CLI::App* fresh = app.add_subcommand("new", "Write a project for an operator into a new folder");
  fresh->add_option("NAME", project, "of the project, the folder, and what it is about")
      ->required();

  CLI::App* version = app.add_subcommand("version", "Print the version");

  CLI11_PARSE(app, argc, argv);
  if (*convert) return Report("convert", flyball::cli::Convert(convert_options));
  if (*gen) return Report("gen", Generate(gen->remaining()));
  if (*up) {
    up_options.pod_startup = *flyball::api::ParseDuration(pod_startup);
    return Report("up", flyball::up::Run(up_options, std::cout));
  }
  if (*fresh) {
    const auto written = flyball::cli::NewProject(project, ".");
    if (written) std::cout << project << "/README.md says how to go on\n";
    return Report("new", written);
  }
  if (const auto status = verbs.Run()) return *status;
  if (*version) std::cout << flyball::cli::VersionText() << "\n";
  return 0;
}
