#include "flyball/ctl/delete.h"

#include <algorithm>
#include <utility>

#include "flyball/ctl/dry_run.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/resource_argument.h"

namespace flyball::ctl {
namespace {

Result<std::string> PropagationPolicy(std::string_view cascade) {
  if (cascade == "background" || cascade == "true") return "Background";
  if (cascade == "foreground") return "Foreground";
  if (cascade == "orphan" || cascade == "false") return "Orphan";
  return std::unexpected(UsageError("invalid cascade value (" + std::string(cascade) +
                                    "). Must be \"background\", \"foreground\", or \"orphan\""));
}

/// Checks what the flags say together, and fills in what follows from it.
Result<> Settle(DeleteOptions& options) {
  if (!options.output.empty() && options.output != "name") {
    return std::unexpected(
        UsageError("unexpected -o output mode: " + options.output + ". We only support '-o name'"));
  }
  if (options.all && !options.selection.selector.empty()) {
    return std::unexpected(UsageError("cannot set --all and --selector at the same time"));
  }
  if (options.all && !options.selection.field_selector.empty()) {
    return std::unexpected(UsageError("cannot set --all and --field-selector at the same time"));
  }
  if (options.now && options.grace_period != -1) {
    return std::unexpected(UsageError("--now and --grace-period cannot be specified together"));
  }
  if (options.now) options.grace_period = 1;
  if (options.grace_period > 0 && options.force) {
    return std::unexpected(
        UsageError("--force and --grace-period greater than 0 cannot be specified together"));
  }
  // Nobody is to lose data by a zero: it takes a --force.
  if (options.grace_period == 0 && !options.force) options.grace_period = 1;
  if (options.force) options.grace_period = 0;
  if (options.all || options.selection.HasSelector()) options.ignore_not_found = true;
  return {};
}

struct Doomed : Selected {
  std::string uid = {};
};

class DeleteCommand {
 public:
  DeleteCommand(Cluster& cluster, const DeleteOptions& options)
      : cluster_(cluster), options_(options) {}

  Errors Run() {
    if (const auto found = Find(); !found) return {found.error()};
    if (options_.force) {
      Warn(
          "Immediate deletion does not wait for confirmation that the running resource has been "
          "terminated. The resource may continue to run on the cluster indefinitely.");
    }
    DeleteAll();
    if (errors_.empty() && doomed_.empty()) cluster_.console().out << "No resources found\n";
    if (errors_.empty() && options_.wait && dry_run_ == DryRun::kNone) WaitForAll();
    return std::move(errors_);
  }

 private:
  void Warn(std::string_view text) const { cluster_.console().err << "Warning: " << text << "\n"; }

  void Note(const Error& error) {
    if (options_.ignore_not_found && error.code() == ErrorCode::kNotFound) return;
    errors_.push_back(error);
  }

  Result<> Find() {
    FLYBALL_TRY(dry_run_, ParseDryRun(options_.dry_run));
    FLYBALL_TRY(policy_, PropagationPolicy(options_.cascade));
    Errors missing;
    FLYBALL_TRY(auto selected,
                Select(cluster_, options_.selection,
                       options_.all ? BareType::kEverything : BareType::kMistake, missing));
    std::ranges::for_each(missing, [this](const Error& error) { Note(error); });
    for (Selected& each : selected) doomed_.push_back({std::move(each)});
    return {};
  }

  void DeleteAll() {
    const auto of_cluster = [](const Doomed& each) { return !each.resource->resource.namespaced; };
    if (cluster_.namespace_given() && !options_.selection.all_namespaces &&
        std::ranges::any_of(doomed_, of_cluster)) {
      Warn("deleting cluster-scoped resources, not scoped to the provided namespace");
    }
    std::vector<Doomed> deleted;
    for (Doomed& each : doomed_) {
      if (const auto done = DeleteOne(each)) {
        deleted.push_back(std::move(each));
      } else {
        Note(WithSource(done.error(), "deleting", each.source));
      }
    }
    doomed_ = std::move(deleted);
  }

  Result<> DeleteOne(Doomed& each) {
    if (dry_run_ != DryRun::kClient) {
      meta::v1::DeleteOptions how;
      if (options_.grace_period >= 0) how.gracePeriodSeconds = options_.grace_period;
      how.propagationPolicy = policy_;
      how.dryRun = DryRunOption(dry_run_);
      FLYBALL_TRY(const Json answer, cluster_.Delete(each.resource->resource, each.key, how));
      // Either says what it was, or is it.
      each.uid = TextAt(answer, {"details", "uid"});
      if (each.uid.empty()) each.uid = TextAt(answer, {"metadata", "uid"});
    }
    Print(each);
    return {};
  }

  void Print(const Doomed& each) const {
    const std::string kind = KindText(each.resource->resource);
    std::ostream& out = cluster_.console().out;
    if (options_.output == "name") {
      out << kind << "/" << each.key.name << "\n";
      return;
    }
    std::string operation = options_.grace_period == 0 ? "force deleted" : "deleted";
    if (each.resource->resource.namespaced) {
      operation += " from " + each.key.namespace_ + " namespace";
    }
    out << kind << " \"" << each.key.name << "\" " << OperationText(operation, dry_run_) << "\n"
        << std::flush;
  }

  void WaitForAll() {
    constexpr std::chrono::hours kAsLongAsItTakes(168);
    const SteadyTime deadline = cluster_.clock().DeadlineAfter(
        options_.timeout.count() > 0 ? options_.timeout : kAsLongAsItTakes);
    for (const Doomed& each : doomed_) {
      const auto gone = WaitFor(each, deadline);
      if (gone) continue;
      // Who may delete need not be allowed to look.
      const ErrorCode code = gone.error().code();
      if (code == ErrorCode::kForbidden || code == ErrorCode::kMethodNotAllowed) return;
      errors_.push_back(gone.error());
    }
  }

  /// Whether what is there is what was deleted, and not another of its name.
  static bool Is(const Json& object, const Doomed& each) {
    return each.uid.empty() || TextAt(object, {"metadata", "uid"}) == each.uid;
  }

  Result<> WaitFor(const Doomed& each, SteadyTime deadline) {
    const client::Resource& resource = each.resource->resource;
    meta::v1::ListOptions list;
    list.fieldSelector = "metadata.name=" + each.key.name;
    for (;;) {
      bool there = false;
      FLYBALL_TRY(cluster_.List(
          resource, each.key.namespace_, list, Cluster::Form::kObjects, [&](const Json& page) {
            list.resourceVersion = TextAt(page, {"metadata", "resourceVersion"});
            for (const Json& object : ListAt(page, {"items"})) {
              there = there || Is(object, each);
            }
            return Result<>();
          }));
      if (!there) return {};
      const auto left = deadline - cluster_.clock().SteadyNow();
      if (left.count() <= 0) {
        return Fail(ErrorCode::kTimeout, "timed out waiting for the condition on " +
                                             resource.QualifiedName() + "/" + each.key.name);
      }
      list.timeoutSeconds = std::chrono::ceil<std::chrono::seconds>(left).count();
      FLYBALL_TRY(cluster_.Watch(resource, each.key.namespace_, list, Cluster::Form::kObjects,
                                 [&](client::EventType type, const Json& object) {
                                   return type != client::EventType::kDeleted || !Is(object, each);
                                 }));
      list.resourceVersion.clear();
      list.timeoutSeconds.reset();
    }
  }

  Cluster& cluster_;
  const DeleteOptions& options_;
  DryRun dry_run_ = DryRun::kNone;
  std::string policy_;
  std::vector<Doomed> doomed_;
  Errors errors_;
};

}  // namespace

Errors Delete(Cluster& cluster, DeleteOptions options) {
  if (const auto settled = Settle(options); !settled) return {settled.error()};
  return DeleteCommand(cluster, options).Run();
}

}  // namespace flyball::ctl
