#include "flyball/cli/verbs.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/duration.h"
#include "flyball/ctl/apply.h"
#include "flyball/ctl/connection.h"
#include "flyball/ctl/delete.h"
#include "flyball/ctl/describe.h"
#include "flyball/ctl/get.h"
#include "flyball/ctl/rollout.h"
#include "flyball/ctl/scale.h"
#include "flyball/ctl/trace.h"

namespace flyball::cli {

using ctl::Cluster;
using ctl::Errors;

struct Verbs::Flags {
  ctl::AccessFlags access;
  ctl::GetOptions get;
  ctl::ApplyOptions apply;
  ctl::DeleteOptions delete_;
  ctl::ScaleOptions scale;
  ctl::RolloutOptions rollout;
  ctl::DescribeOptions describe;
  ctl::TraceOptions trace;
  ctl::ManagerFlags manager;

  using Action = std::function<Errors(Cluster&, const client::AccessConfig&)>;
  std::vector<std::pair<const CLI::App*, Action>> actions;
};

namespace {

/// An option that may be given again, or hold several with commas between; each time it takes one
/// word, and not all that follow.
CLI::Option* AddList(CLI::App& verb, const std::string& name, std::vector<std::string>& values,
                     const std::string& help) {
  return verb.add_option(name, values, help)->allow_extra_args(false)->delimiter(',');
}

void AddDuration(CLI::App& verb, const std::string& name, std::chrono::nanoseconds& duration,
                 const std::string& help) {
  verb.add_option_function<std::string>(
      name,
      [name, &duration](const std::string& text) {
        const auto parsed = api::ParseDuration(text);
        if (!parsed) throw CLI::ValidationError(name, parsed.error().message());
        duration = *parsed;
      },
      help);
}

void AddFiles(CLI::App& verb, ctl::Files& files) {
  AddList(verb, "-f,--filename", files.names,
          "Name of a file, or of a directory of files, with the objects to act on; - means "
          "standard input. May be repeated.");
  verb.add_flag("-R,--recursive", files.recursive,
                "Process directories in --filename recursively.");
}

void AddDryRun(CLI::App& verb, std::string& dry_run) {
  verb.add_option("--dry-run", dry_run,
                  "Dry run: none sends the change, client only prints the objects, server has the "
                  "API server check them without storing them.")
      ->capture_default_str();
}

void AddSelection(CLI::App& verb, ctl::Selection& selection) {
  verb.add_option("resources", selection.words,
                  "Resources to act on: deploy/web, or pods web-0 web-1, or pods.");
  AddFiles(verb, selection.files);
  verb.add_option("-l,--selector", selection.selector,
                  "Label selector that objects must match, for example app=web,tier!=db.");
}

void AddAccess(CLI::App& app, ctl::AccessFlags& flags) {
  const auto add = [&](const std::string& name, std::string& value, const std::string& help) {
    app.add_option(name, value, help)->group("Cluster access");
  };
  add("--kubeconfig", flags.kubeconfig,
      "Kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config.");
  add("--context", flags.context, "Context of the kubeconfig to use instead of its current one.");
  add("-n,--namespace", flags.namespace_, "Namespace of the objects to act on.");
  add("-s,--server", flags.server,
      "URL of the API server, which overrides the one in the kubeconfig.");
  add("--token", flags.token, "Bearer token to authenticate with to the API server.");
  add("--certificate-authority", flags.certificate_authority,
      "File with the PEM-encoded CA certificates that the API server's certificate is verified "
      "against.");
  add("--tls-server-name", flags.tls_server_name,
      "Host name that the API server's certificate must have, instead of the one in its URL.");
  add("--as", flags.as, "User to impersonate, for example system:serviceaccount:shop:web.");
  AddList(app, "--as-group", flags.as_groups, "Group to impersonate; may be repeated.")
      ->group("Cluster access");
  app.add_flag("--insecure-skip-tls-verify", flags.insecure_skip_tls_verify,
               "Do not verify the TLS certificate of the API server. Insecure: anybody in between "
               "can read the credentials.")
      ->group("Cluster access");
}

void AddGetOptions(CLI::App& verb, ctl::GetOptions& options) {
  verb.add_option("resources", options.words,
                  "Resources to show: pods, or deploy/web, or pods web-0 web-1.");
  AddFiles(verb, options.files);
  verb.add_option("-o,--output", options.output,
                  "Output format: wide, name, json, yaml, jsonpath=TEMPLATE or "
                  "custom-columns=SPEC. Empty means a table.");
  verb.add_option("-l,--selector", options.selector,
                  "Label selector that objects must match, for example app=web,tier!=db.");
  verb.add_option("--field-selector", options.field_selector,
                  "Field selector that objects must match, for example status.phase=Running.");
  verb.add_flag("-A,--all-namespaces", options.all_namespaces,
                "Select objects in all namespaces instead of one namespace.");
  verb.add_flag("--watch-only", options.watch_only,
                "Watch for changes without showing the existing objects first.");
  verb.add_flag("--no-headers", options.no_headers, "Print the table without its line of headers.");
  verb.add_flag("--show-labels", options.show_labels,
                "Show the labels of each object in the last column.");
  verb.add_flag("--show-kind", options.show_kind, "Show the kind of each object before its name.");
  verb.add_flag("--show-managed-fields", options.show_managed_fields,
                "Show metadata.managedFields in JSON and YAML output.");
  verb.add_flag("--ignore-not-found", options.ignore_not_found,
                "Treat an object that is not found as success instead of an error.");
  AddList(verb, "-L,--label-columns", options.label_columns,
          "Names of labels, separated by commas, that get a column each.");
  verb.add_option("--chunk-size", options.chunk_size,
                  "Size of a chunk: the number of objects to request from the API server at a "
                  "time; 0 requests all at once.")
      ->capture_default_str();
}

void AddApplyOptions(CLI::App& verb, ctl::ApplyOptions& options) {
  AddFiles(verb, options.files);
  verb.add_option("-o,--output", options.output,
                  "Output format: name, json or yaml. Empty means one line per object.");
  verb.add_option("-l,--selector", options.selector,
                  "Label selector that objects must match, for example app=web,tier!=db.");
  AddDryRun(verb, options.dry_run);
  verb.add_option("--validate", options.validate,
                  "Validation of unknown and duplicate fields: strict refuses them, warn prints a "
                  "warning, ignore says nothing.")
      ->capture_default_str();
  verb.add_option("--field-manager", options.field_manager,
                  "Name of the field manager that owns the applied fields.");
  verb.add_flag("--overwrite", options.overwrite,
                "Overwrite fields that others have changed since the last apply.");
  verb.add_flag("--server-side", options.server_side,
                "Use server-side apply: the API server merges the objects.");
  verb.add_flag("--force-conflicts", options.force_conflicts,
                "Force server-side apply to take over fields that other field managers own.");
}

void AddDeleteOptions(CLI::App& verb, ctl::DeleteOptions& options) {
  AddSelection(verb, options.selection);
  verb.add_option("--field-selector", options.selection.field_selector,
                  "Field selector that objects must match, for example status.phase=Running.");
  verb.add_flag("-A,--all-namespaces", options.selection.all_namespaces,
                "Select objects in all namespaces instead of one namespace.");
  verb.add_option("-o,--output", options.output,
                  "Output format: name, or empty for one line per object.");
  verb.add_option("--cascade", options.cascade,
                  "Deletion of dependents with cascade: background deletes them afterwards, "
                  "foreground deletes them first, orphan leaves them.")
      ->capture_default_str();
  AddDryRun(verb, options.dry_run);
  verb.add_option("--grace-period", options.grace_period,
                  "Grace period in seconds before a pod is killed; 0 counts as 1 without --force, "
                  "and a negative number means the pod's own.")
      ->capture_default_str();
  verb.add_flag("--all", options.all, "Select all objects of the given resource types.");
  verb.add_flag("--force", options.force,
                "Force the deletion of pods without waiting for the kubelet to confirm that they "
                "have stopped.");
  verb.add_flag("--now", options.now, "Delete now, with a grace period of one second.");
  verb.add_flag("--wait", options.wait,
                "Wait until the deleted objects and their finalizers are gone.");
  verb.add_flag("--ignore-not-found", options.ignore_not_found,
                "Treat an object that is not found as success instead of an error.");
  AddDuration(verb, "--timeout", options.timeout,
              "Timeout of --wait, for example 30s; 0 means one week.");
}

void AddScaleOptions(CLI::App& verb, ctl::ScaleOptions& options) {
  AddSelection(verb, options.selection);
  verb.add_option("--replicas", options.replicas, "Number of replicas to set.")->required();
  verb.add_option("--current-replicas", options.current_replicas,
                  "Number of replicas that the object must have now, or the command fails; a "
                  "negative number skips the check.");
  verb.add_option("--resource-version", options.resource_version,
                  "Resource version that the object must have now, or the command fails; empty "
                  "skips the check.");
  verb.add_option("-o,--output", options.output,
                  "Output format: name, or empty for one line per object.");
  verb.add_flag("--all", options.all, "Select all objects of the given resource types.");
  AddDryRun(verb, options.dry_run);
}

void AddDescribeOptions(CLI::App& verb, ctl::DescribeOptions& options) {
  AddSelection(verb, options.selection);
  verb.add_flag("-A,--all-namespaces", options.selection.all_namespaces,
                "Select objects in all namespaces instead of one namespace.");
  verb.add_flag_function(
      "--show-events", [&](std::int64_t count) { options.show_events = count > 0; },
      "Show the events of each object at the end.");
}

void AddTraceOptions(CLI::App& verb, ctl::TraceOptions& options, ctl::ManagerFlags& manager) {
  AddSelection(verb, options.selection);
  verb.add_option(
      "-o,--output", options.output,
      "Output format: json prints the manager's answer unchanged, empty prints a report.");
  verb.add_option("--turns", options.timeline.reconciles,
                  "Maximum number of reconciles (turns) to show for each object, the last ones.")
      ->capture_default_str();
  verb.add_option("--pods", options.timeline.pods,
                  "Maximum number of pods to show, those that are not ready first.")
      ->capture_default_str();
  verb.add_option("--manager", manager.address,
                  "URL of the controller manager to ask, for example https://10.0.0.1:10257. Empty "
                  "means that of the API server, which answers in a cluster of 'flyball up'.");
  verb.add_option("--manager-certificate-authority", manager.certificate_authority,
                  "File with the PEM-encoded CA certificates that the manager's certificate is "
                  "verified against. Empty means those of the API server.");
  verb.add_flag("--manager-insecure-skip-tls-verify", manager.insecure_skip_tls_verify,
                "Do not verify the TLS certificate of the controller manager. Insecure: anybody in "
                "between can read the credentials.");
}

Errors RunTrace(Cluster& cluster, const client::AccessConfig& access,
                const ctl::TraceOptions& options, const ctl::ManagerFlags& flags) {
  if (flags.address.empty()) return ctl::Trace(cluster, cluster.rest(), options);
  const auto manager = ctl::AccessOfManager(access, flags);
  if (!manager) return {ctl::UsageError(manager.error().message())};
  const auto connection = ctl::Connection::Open(*manager, {});
  if (!connection) return {ctl::UsageError(connection.error().message())};
  return ctl::Trace(cluster, (*connection)->rest(), options);
}

}  // namespace

Verbs::Verbs(CLI::App& app) : flags_(std::make_unique<Flags>()) {
  Flags& flags = *flags_;
  AddAccess(app, flags.access);
  const auto add_with_access = [&](CLI::App& parent, const std::string& name,
                                   const std::string& help, Flags::Action action) -> CLI::App& {
    CLI::App* const verb = parent.add_subcommand(name, help);
    verb->fallthrough();
    flags.actions.emplace_back(verb, std::move(action));
    return *verb;
  };
  const auto add = [&](CLI::App& parent, const std::string& name, const std::string& help,
                       std::function<Errors(Cluster&)> action) -> CLI::App& {
    return add_with_access(
        parent, name, help,
        [action = std::move(action)](Cluster& cluster, const auto&) { return action(cluster); });
  };
  CLI::App& get = add(app, "get", "Show objects",
                      [&](Cluster& cluster) { return ctl::Get(cluster, flags.get); });
  AddGetOptions(get, flags.get);
  get.add_flag("-w,--watch", flags.get.watch,
               "Watch the objects after showing them, and show every change.");
  AddGetOptions(add(app, "watch", "Show objects and watch them for changes",
                    [&](Cluster& cluster) {
                      flags.get.watch = true;
                      return ctl::Get(cluster, flags.get);
                    }),
                flags.get);
  AddApplyOptions(add(app, "apply", "Create or update objects from files",
                      [&](Cluster& cluster) { return ctl::Apply(cluster, flags.apply); }),
                  flags.apply);
  AddDeleteOptions(add(app, "delete", "Delete objects",
                       [&](Cluster& cluster) { return ctl::Delete(cluster, flags.delete_); }),
                   flags.delete_);
  AddScaleOptions(add(app, "scale", "Set the number of replicas of objects",
                      [&](Cluster& cluster) { return ctl::Scale(cluster, flags.scale); }),
                  flags.scale);
  AddDescribeOptions(add(app, "describe", "Show objects in detail, with their events",
                         [&](Cluster& cluster) { return ctl::Describe(cluster, flags.describe); }),
                     flags.describe);
  AddTraceOptions(
      add_with_access(app, "trace", "Show why objects are in their state, and what controllers did",
                      [&](Cluster& cluster, const client::AccessConfig& access) {
                        return RunTrace(cluster, access, flags.trace, flags.manager);
                      }),
      flags.trace, flags.manager);

  CLI::App* const rollout = app.add_subcommand("rollout", "Manage rollouts");
  rollout->require_subcommand(1)->fallthrough();
  const auto add_rollout = [&](const std::string& name, const std::string& help,
                               Errors (*run)(Cluster&, const ctl::RolloutOptions&)) -> CLI::App& {
    CLI::App& verb = add(*rollout, name, help,
                         [&flags, run](Cluster& cluster) { return run(cluster, flags.rollout); });
    AddSelection(verb, flags.rollout.selection);
    return verb;
  };
  CLI::App& status = add_rollout("status", "Show the progress of a rollout until it has finished",
                                 ctl::RolloutStatus);
  status.add_flag("-w,--watch", flags.rollout.watch,
                  "Watch the rollout until it is finished; =false shows its status once.");
  status.add_option(
      "--revision", flags.rollout.revision,
      "Revision that must be the current one while the rollout is watched; 0 means the last one.");
  AddDuration(status, "--timeout", flags.rollout.timeout,
              "Timeout of the watch, for example 30s; 0 means one week.");
  add_rollout("history", "List the revisions of a Deployment", ctl::RolloutHistory)
      .add_option("--revision", flags.rollout.revision,
                  "Number of the revision to show in full; 0 lists all revisions.");
  CLI::App& undo =
      add_rollout("undo", "Roll a Deployment back to an earlier revision", ctl::RolloutUndo);
  undo.add_option(
      "--to-revision", flags.rollout.revision,
      "Number of the revision to roll back to; 0 means the one before the current one.");
  AddDryRun(undo, flags.rollout.dry_run);
  add_rollout("restart", "Replace all pods with a rolling update", ctl::RolloutRestart);
  add_rollout("pause", "Pause the rollout of a Deployment", ctl::RolloutPause);
  add_rollout("resume", "Resume a paused rollout", ctl::RolloutResume);
}

Verbs::~Verbs() = default;

std::optional<int> Verbs::Run() {
  const auto asked = std::ranges::find_if(
      flags_->actions, [](const auto& action) { return action.first->parsed(); });
  if (asked == flags_->actions.end()) return std::nullopt;
  const Logger log;
  const auto run = [&]() -> Errors {
    const auto access = ctl::ResolveAccess(flags_->access, {}, log);
    if (!access) return {ctl::UsageError(access.error().message())};
    const auto connection = ctl::Connection::Open(*access, log);
    if (!connection) return {ctl::UsageError(connection.error().message())};
    Cluster cluster(
        (*connection)->rest(), {std::cin, std::cout, std::cerr},
        {.namespace_ = access->namespace_, .namespace_given = !flags_->access.namespace_.empty()});
    return asked->second(cluster, *access);
  };
  const Errors errors = run();
  std::cout << std::flush;
  if (errors.empty()) return 0;
  std::cerr << ctl::ErrorText(errors);
  return 1;
}

}  // namespace flyball::cli
