#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "flyball/api/duration.h"
#include "flyball/base/heap_trim.h"
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
  up->add_option("--nodes", options.nodes, "Number of simulated nodes to start with.")
      ->check(CLI::Range(0, 5000))
      ->capture_default_str();
  up->add_flag("--no-nodes", options.no_nodes,
               "Start no simulated nodes and no scheduler; pods are created and stay pending.");
  up->add_flag("--api-only", options.api_only,
               "Start the API server only, without nodes, scheduler and controllers.");
  up->add_option("--controllers", options.controllers,
                 "Controllers to run, in the form of kube-controller-manager's flag: '*' for all, "
                 "'name' to add one, '-name' to leave one out.")
      ->delimiter(',');
  up->add_option(
      "--apply", options.apply,
      "Manifest file, or directory of manifests, to apply when the cluster has started.");
  up->add_option("--data-dir", options.data_dir,
                 "Directory in which the data of the cluster are kept; without it they are lost "
                 "when the program ends.");
  up->add_option("--kubeconfig", options.kubeconfig,
                 "Kubeconfig file to write, with the address and credentials of the cluster.")
      ->capture_default_str();
  up->add_option("--port", options.port, "Port of the API server; 0 picks a free one.");
  up->add_option("--pod-startup", pod_startup,
                 "Startup time of a simulated pod, from its start until it is ready.")
      ->check([](const std::string& text) {
        const auto span = flyball::api::ParseDuration(text);
        return span ? std::string() : span.error().Describe();
      })
      ->capture_default_str();
  up->add_option("--tour", options.tour,
                 "Manifest file, or directory of manifests, of an application; the tour shows what "
                 "controllers do with it.");
  up->add_flag("--once", options.once,
               "Exit once the tour has ended, or everything from --apply has been rolled out.");
  up->add_flag("--plain", options.plain,
               "Print plain lines even if the terminal could show the full screen.");
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
  convert
      ->add_option("-f,--filename", convert_options.file,
                   "Name of the file to read; - means standard input.")
      ->capture_default_str();
  convert
      ->add_option("-o,--output", convert_options.output, "Output format: json, yaml or protobuf.")
      ->capture_default_str();

  CLI::App* gen =
      app.add_subcommand("gen", "Write C++ types and tables: api from schema files, crd from CRDs");
  gen->prefix_command();

  flyball::up::Options up_options;
  std::string pod_startup = "1s";
  const CLI::App* up = AddUp(app, up_options, pod_startup);
  flyball::cli::Verbs verbs(app);

  std::string project;
  CLI::App* fresh =
      app.add_subcommand("new", "Create the project of an operator in a new directory");
  fresh
      ->add_option(
          "NAME", project,
          "Name of the project: its directory, its program and its CRD are called after it.")
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
