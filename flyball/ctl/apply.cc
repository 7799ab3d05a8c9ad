#include "flyball/ctl/apply.h"

#include <utility>

#include "flyball/api/label_selector.h"
#include "flyball/api/registry.h"
#include "flyball/ctl/apply_plan.h"
#include "flyball/ctl/dry_run.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/object_printer.h"

namespace flyball::ctl {
namespace {

constexpr int kMostConflicts = 5;

constexpr std::string_view kConflictAdvice =
    "\nPlease review the fields above--they currently have other managers. Here\n"
    "are the ways you can resolve this warning:\n"
    "* If you intend to manage all of these fields, please re-run the apply\n"
    "  command with the `--force-conflicts` flag.\n"
    "* If you do not intend to manage all of the fields, please edit your\n"
    "  manifest to remove references to the fields that should keep their\n"
    "  current managers.\n"
    "* You may co-own fields by updating your manifest to match the existing\n"
    "  value; in this case, you'll become the manager if the other manager(s)\n"
    "  stop managing the field (remove it from their configuration).\n"
    "See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

Result<std::string> FieldValidation(std::string_view text) {
  if (text == "strict" || text == "true") return "Strict";
  if (text == "warn") return "Warn";
  if (text == "ignore" || text == "false") return "Ignore";
  return std::unexpected(
      UsageError("invalid - validate option \"" + std::string(text) +
                 "\"; must be one of: strict (or true), warn, ignore (or false)"));
}

/// What became of an object.
struct Applied {
  Json object;
  std::string_view operation;
};

class ApplyCommand {
 public:
  ApplyCommand(Cluster& cluster, const ApplyOptions& options)
      : cluster_(cluster), options_(options) {}

  Errors Run() {
    if (const auto done = ApplyAll(); !done) errors_.push_back(done.error());
    return std::move(errors_);
  }

 private:
  Result<> ApplyAll() {
    if (options_.files.empty()) {
      return std::unexpected(UsageError("must specify one of -f and -k"));
    }
    if (options_.force_conflicts && !options_.server_side) {
      return std::unexpected(UsageError("--force-conflicts only works with --server-side"));
    }
    FLYBALL_TRY(dry_run_, ParseDryRun(options_.dry_run));
    if (dry_run_ == DryRun::kClient && options_.server_side) {
      return std::unexpected(
          UsageError("--dry-run=client doesn't work with --server-side (did you "
                     "mean --dry-run=server instead?)"));
    }
    FLYBALL_TRY(validation_, FieldValidation(options_.validate));
    FLYBALL_TRY(const OutputFormat format, OutputFormat::Parse(options_.output));
    FLYBALL_TRY(const api::Selector selector, api::Selector::Parse(options_.selector));
    FLYBALL_TRY(const auto all, ReadPlaced(cluster_, options_.files, errors_));
    std::vector<Json> shown;
    bool any = false;
    for (const PlacedManifest& each : all) {
      if (!Selects(selector, each.manifest.object)) continue;
      any = true;
      auto applied = ApplyOne(each);
      if (!applied) {
        errors_.push_back(applied.error());
      } else if (format.IsTable()) {
        cluster_.console().out << NameText(applied->object) << " "
                               << OperationText(applied->operation, dry_run_) << "\n";
      } else {
        shown.push_back(std::move(applied->object));
      }
    }
    if (!any && errors_.empty()) {
      return std::unexpected(UsageError("no objects passed to apply"));
    }
    if (shown.empty()) return {};
    FLYBALL_TRY(ObjectPrinter printer, ObjectPrinter::Make(format, {}));
    FLYBALL_TRY(const std::string text,
                printer.Print(shown.size() == 1 ? shown.front() : ListOf(std::move(shown))));
    cluster_.console().out << text;
    return {};
  }

  static bool Selects(const api::Selector& selector, const Json& object) {
    api::Map<std::string> labels;
    for (const auto& [name, value] : MembersAt(object, {"metadata", "labels"})) {
      labels[name] = GoText(value);
    }
    return selector.Matches(labels);
  }

  Result<Applied> ApplyOne(const PlacedManifest& wanted) {
    const Json& object = wanted.manifest.object;
    const std::string& source = wanted.manifest.source;
    if (const std::string generated = TextAt(object, {"metadata", "generateName"});
        wanted.key.name.empty() && !generated.empty()) {
      return std::unexpected(
          UsageError("from " + generated + ": cannot use generate name with apply"));
    }
    if (options_.server_side) return ApplyOnServer(wanted);
    auto current = cluster_.Get(wanted.resource->resource, wanted.key);
    if (!current && current.error().code() == ErrorCode::kNotFound) return Create(wanted);
    if (!current) {
      return std::unexpected(WithSource(
          current.error(),
          "retrieving current configuration of:\n" + Describe(wanted) + "\nfrom server for:",
          source));
    }
    if (!HasLastApplied(*current)) {
      cluster_.console().err
          << "Warning: resource " << wanted.resource->resource.plural << "/" << wanted.key.name
          << " is missing the " << kLastApplied
          << " annotation which is required by kubectl apply. kubectl apply should only be used on "
             "resources created declaratively by either kubectl create --save-config or kubectl "
             "apply. The missing annotation will be patched automatically.\n";
    }
    return Patch(wanted, *std::move(current));
  }

  std::string FieldManager() const {
    if (!options_.field_manager.empty()) return options_.field_manager;
    // kubectl's own: whoever goes from one command to the other stays the fields' manager.
    return options_.server_side ? "kubectl" : "kubectl-client-side-apply";
  }

  Result<Applied> Create(const PlacedManifest& wanted) {
    Json object = WithoutNulls(WithLastApplied(wanted.manifest.object));
    if (dry_run_ != DryRun::kClient) {
      meta::v1::CreateOptions create;
      create.dryRun = DryRunOption(dry_run_);
      create.fieldManager = FieldManager();
      create.fieldValidation = validation_;
      auto created = cluster_.Create(wanted.resource->resource, wanted.key, object, create);
      if (!created) {
        return std::unexpected(WithSource(created.error(), "creating", wanted.manifest.source));
      }
      object = *std::move(created);
    }
    return Applied{std::move(object), "created"};
  }

  meta::v1::PatchOptions PatchOptions() const {
    meta::v1::PatchOptions patch;
    patch.dryRun = DryRunOption(dry_run_);
    patch.fieldManager = FieldManager();
    patch.fieldValidation = validation_;
    return patch;
  }

  /// Others may write between the reading and the writing: then it is planned anew.
  Result<Applied> Patch(const PlacedManifest& wanted, Json current) {
    const client::Resource& resource = wanted.resource->resource;
    const api::TypeInfo* const type = api::FindKind(resource.ApiVersion(), resource.kind);
    const auto on_conflict =
        options_.overwrite ? api::OnConflict::kOverwrite : api::OnConflict::kFail;
    for (int conflicts = 0;; ++conflicts) {
      FLYBALL_TRY(const client::Patch patch,
                  PlanApply(wanted.manifest.object, current, type, on_conflict));
      if (patch.text == "{}") return Applied{std::move(current), "unchanged"};
      if (dry_run_ == DryRun::kClient) return Applied{std::move(current), "configured"};
      auto patched = cluster_.Patch(resource, wanted.key, patch, PatchOptions());
      if (patched) {
        WarnIfDeleting(*patched, wanted);
        return Applied{*std::move(patched), "configured"};
      }
      if (patched.error().code() != ErrorCode::kConflict || conflicts == kMostConflicts) {
        const std::string& source = wanted.manifest.source;
        return std::unexpected(WithSource(
            WithSource(patched.error(), "patching", source),
            "applying patch:\n" + patch.text + "\nto:\n" + Describe(wanted) + "\nfor:", source));
      }
      if (conflicts > 0) cluster_.clock().SleepFor(std::chrono::seconds(1));
      FLYBALL_TRY(current, cluster_.Get(resource, wanted.key));
    }
  }

  /// DIVERGES: what was applied by a client before is not handed over to the server's bookkeeping.
  /// Fields that only the annotation remembers stay until they are removed by hand.
  Result<Applied> ApplyOnServer(const PlacedManifest& wanted) {
    meta::v1::PatchOptions patch = PatchOptions();
    patch.force = options_.force_conflicts;
    auto applied =
        cluster_.Patch(wanted.resource->resource, wanted.key,
                       {client::PatchType::kApply, wanted.manifest.object.ToString()}, patch);
    if (!applied && applied.error().code() == ErrorCode::kConflict) {
      return std::unexpected(UsageError(applied.error().message() + std::string(kConflictAdvice)));
    }
    FLYBALL_TRY(applied);
    WarnIfDeleting(*applied, wanted);
    return Applied{*std::move(applied), "serverside-applied"};
  }

  void WarnIfDeleting(const Json& object, const PlacedManifest& wanted) const {
    if (FieldAt(object, {"metadata", "deletionTimestamp"}) == nullptr) return;
    cluster_.console().err << "Warning: Detected changes to resource " << wanted.key.name
                           << " which is currently being deleted.\n";
  }

  static std::string Describe(const PlacedManifest& wanted) {
    const client::Resource& resource = wanted.resource->resource;
    return "Resource: \"" + resource.ApiVersion() + ", Resource=" + resource.plural +
           "\", GroupVersionKind: \"" + resource.ApiVersion() + ", Kind=" + resource.kind +
           "\"\nName: \"" + wanted.key.name + "\", Namespace: \"" + wanted.key.namespace_ + "\"";
  }

  Cluster& cluster_;
  const ApplyOptions& options_;
  DryRun dry_run_ = DryRun::kNone;
  std::string validation_;
  Errors errors_;
};

}  // namespace

Errors Apply(Cluster& cluster, const ApplyOptions& options) {
  return ApplyCommand(cluster, options).Run();
}

}  // namespace flyball::ctl
