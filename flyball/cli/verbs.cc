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
  AddList(verb, "-f,--filename", files.names, "file or folder with objects; - is standard input");
  verb.add_flag("-R,--recursive", files.recursive, "folders in folders too");
}

void AddDryRun(CLI::App& verb, std::string& dry_run) {
  verb.add_option("--dry-run", dry_run, "none, client or server")->capture_default_str();
}

void AddSelection(CLI::App& verb, ctl::Selection& selection) {
  verb.add_option("resources", selection.words, "deploy/web, pods web-0 web-1, pods");
  AddFiles(verb, selection.files);
  verb.add_option("-l,--selector", selection.selector, "labels that objects must have");
}

void AddAccess(CLI::App& app, ctl::AccessFlags& flags) {
  const auto add = [&](const std::string& name, std::string& value, const std::string& help) {
    app.add_option(name, value, help)->group("Which cluster");
  };
  add("--kubeconfig", flags.kubeconfig, "file that says where the cluster is");
  add("--context", flags.context, "which of its contexts");
  add("-n,--namespace", flags.namespace_, "namespace that objects are in");
  add("-s,--server", flags.server, "address of the API server");
  add("--token", flags.token, "bearer token");
  add("--certificate-authority", flags.certificate_authority, "file with the server's authority");
  add("--tls-server-name", flags.tls_server_name, "name in the server's certificate");
  add("--as", flags.as, "user to be treated as");
  AddList(app, "--as-group", flags.as_groups, "group to be treated as one of")
      ->group("Which cluster");
  app.add_flag("--insecure-skip-tls-verify", flags.insecure_skip_tls_verify, "believe any server")
      ->group("Which cluster");
}

void AddGetOptions(CLI::App& verb, ctl::GetOptions& options) {
  verb.add_option("resources", options.words, "pods, deploy/web, pods web-0 web-1");
  AddFiles(verb, options.files);
  verb.add_option("-o,--output", options.output,
                  "wide, name, json, yaml, jsonpath=... or custom-columns=...");
  verb.add_option("-l,--selector", options.selector, "labels that objects must have");
  verb.add_option("--field-selector", options.field_selector, "fields that objects must have");
  verb.add_flag("-A,--all-namespaces", options.all_namespaces, "of all namespaces");
  verb.add_flag("--watch-only", options.watch_only, "only what changes");
  verb.add_flag("--no-headers", options.no_headers, "leave out the first line");
  verb.add_flag("--show-labels", options.show_labels, "labels in a column of their own");
  verb.add_flag("--show-kind", options.show_kind, "the kind before each name");
  verb.add_flag("--show-managed-fields", options.show_managed_fields,
                "who manages which fields, in JSON and YAML");
  verb.add_flag("--ignore-not-found", options.ignore_not_found,
                "what is not there is not an error");
  AddList(verb, "-L,--label-columns", options.label_columns, "a column for each of these labels");
  verb.add_option("--chunk-size", options.chunk_size, "objects to ask for at a time")
      ->capture_default_str();
}

void AddApplyOptions(CLI::App& verb, ctl::ApplyOptions& options) {
  AddFiles(verb, options.files);
  verb.add_option("-o,--output", options.output, "name, json or yaml");
  verb.add_option("-l,--selector", options.selector, "labels that objects must have");
  AddDryRun(verb, options.dry_run);
  verb.add_option("--validate", options.validate, "strict, warn or ignore")->capture_default_str();
  verb.add_option("--field-manager", options.field_manager, "who manages the fields");
  verb.add_flag("--overwrite", options.overwrite, "win over what others changed meanwhile");
  verb.add_flag("--server-side", options.server_side, "have the server merge");
  verb.add_flag("--force-conflicts", options.force_conflicts,
                "take fields over from others, with --server-side");
}

void AddDeleteOptions(CLI::App& verb, ctl::DeleteOptions& options) {
  AddSelection(verb, options.selection);
  verb.add_option("--field-selector", options.selection.field_selector,
                  "fields that objects must have");
  verb.add_flag("-A,--all-namespaces", options.selection.all_namespaces, "of all namespaces");
  verb.add_option("-o,--output", options.output, "name");
  verb.add_option("--cascade", options.cascade, "background, foreground or orphan")
      ->capture_default_str();
  AddDryRun(verb, options.dry_run);
  verb.add_option("--grace-period", options.grace_period, "seconds to end in; 1 at least")
      ->capture_default_str();
  verb.add_flag("--all", options.all, "all objects of the types");
  verb.add_flag("--force", options.force, "do not wait for the node");
  verb.add_flag("--now", options.now, "as --grace-period 1");
  verb.add_flag("--wait", options.wait, "wait until they are gone");
  verb.add_flag("--ignore-not-found", options.ignore_not_found,
                "what is not there is not an error");
  AddDuration(verb, "--timeout", options.timeout, "how long to wait; 0 is as long as it takes");
}

void AddScaleOptions(CLI::App& verb, ctl::ScaleOptions& options) {
  AddSelection(verb, options.selection);
  verb.add_option("--replicas", options.replicas, "how many there are to be")->required();
  verb.add_option("--current-replicas", options.current_replicas, "how many there must be now");
  verb.add_option("--resource-version", options.resource_version, "which version it must be");
  verb.add_option("-o,--output", options.output, "name");
  verb.add_flag("--all", options.all, "all objects of the types");
  AddDryRun(verb, options.dry_run);
}

void AddDescribeOptions(CLI::App& verb, ctl::DescribeOptions& options) {
  AddSelection(verb, options.selection);
  verb.add_flag("-A,--all-namespaces", options.selection.all_namespaces, "of all namespaces");
  verb.add_flag_function(
      "--show-events", [&](std::int64_t count) { options.show_events = count > 0; },
      "what happened to them");
}

void AddTraceOptions(CLI::App& verb, ctl::TraceOptions& options, ctl::ManagerFlags& manager) {
  AddSelection(verb, options.selection);
  verb.add_option("-o,--output", options.output, "json: what the manager says, as it says it");
  verb.add_option("--turns", options.story.turns, "of each object, at most so many")
      ->capture_default_str();
  verb.add_option("--pods", options.story.pods, "at most so many, those that are not ready first")
      ->capture_default_str();
  verb.add_option(
      "--manager", manager.address,
      "address of the manager, https://host:10257; unless told, the API server's, which "
      "is that of flyball up");
  verb.add_option("--manager-certificate-authority", manager.certificate_authority,
                  "file with the manager's authority; unless told, the cluster's");
  verb.add_flag("--manager-insecure-skip-tls-verify", manager.insecure_skip_tls_verify,
                "believe any manager");
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
  get.add_flag("-w,--watch", flags.get.watch, "go on to show what changes");
  AddGetOptions(add(app, "watch", "Show objects, and go on to show what changes",
                    [&](Cluster& cluster) {
                      flags.get.watch = true;
                      return ctl::Get(cluster, flags.get);
                    }),
                flags.get);
  AddApplyOptions(add(app, "apply", "Make objects be as files say",
                      [&](Cluster& cluster) { return ctl::Apply(cluster, flags.apply); }),
                  flags.apply);
  AddDeleteOptions(add(app, "delete", "Delete objects",
                       [&](Cluster& cluster) { return ctl::Delete(cluster, flags.delete_); }),
                   flags.delete_);
  AddScaleOptions(add(app, "scale", "Set how many replicas objects have",
                      [&](Cluster& cluster) { return ctl::Scale(cluster, flags.scale); }),
                  flags.scale);
  AddDescribeOptions(add(app, "describe", "Show all there is to know about objects",
                         [&](Cluster& cluster) { return ctl::Describe(cluster, flags.describe); }),
                     flags.describe);
  AddTraceOptions(add_with_access(app, "trace", "Show why objects are as they are",
                                  [&](Cluster& cluster, const client::AccessConfig& access) {
                                    return RunTrace(cluster, access, flags.trace, flags.manager);
                                  }),
                  flags.trace, flags.manager);

  CLI::App* const rollout = app.add_subcommand("rollout", "Look after rollouts");
  rollout->require_subcommand(1)->fallthrough();
  const auto add_rollout = [&](const std::string& name, const std::string& help,
                               Errors (*run)(Cluster&, const ctl::RolloutOptions&)) -> CLI::App& {
    CLI::App& verb = add(*rollout, name, help,
                         [&flags, run](Cluster& cluster) { return run(cluster, flags.rollout); });
    AddSelection(verb, flags.rollout.selection);
    return verb;
  };
  CLI::App& status =
      add_rollout("status", "Show how far a rollout is, until it is done", ctl::RolloutStatus);
  status.add_flag("-w,--watch", flags.rollout.watch, "until it is done");
  status.add_option("--revision", flags.rollout.revision, "the one that it must be");
  AddDuration(status, "--timeout", flags.rollout.timeout, "how long to wait; 0 is for ever");
  add_rollout("history", "Show what a deployment has been", ctl::RolloutHistory)
      .add_option("--revision", flags.rollout.revision, "one of them, in full");
  CLI::App& undo = add_rollout("undo", "Go back to what a deployment has been", ctl::RolloutUndo);
  undo.add_option("--to-revision", flags.rollout.revision, "which one; 0 is the one before");
  AddDryRun(undo, flags.rollout.dry_run);
  add_rollout("restart", "Replace all pods", ctl::RolloutRestart);
  add_rollout("pause", "Let changes of a deployment wait", ctl::RolloutPause);
  add_rollout("resume", "Roll changes out again", ctl::RolloutResume);
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
